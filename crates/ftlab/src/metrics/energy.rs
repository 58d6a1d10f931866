//! What a run takes of energy: power by data sheets, times how long the device draws it.

use crate::device::DeviceConfig;
use crate::figures::figures;
use crate::flash::{Cause, Ledger, Operation};
use std::collections::BTreeMap;

crate::settings! {
    /// What the device draws while it works.
    pub struct EnergyConfig in "energy" {
        /// Power of a plane that reads.
        read: f64 = 82.5, in 0.0..=1e6, unit "mW",
            source "Micron MT29F64G08: 25 mA at 3.3 V (choices.md#energy)";
        /// Power of a plane that programs.
        program: f64 = 82.5, in 0.0..=1e6, unit "mW",
            source "Micron MT29F64G08: 25 mA at 3.3 V (choices.md#energy)";
        /// Power of a plane that erases.
        erase: f64 = 82.5, in 0.0..=1e6, unit "mW",
            source "Micron MT29F64G08: 25 mA at 3.3 V (choices.md#energy)";
        /// Power of a bus that transfers.
        transfer: f64 = 33.0, in 0.0..=1e6, unit "mW",
            source "Micron MT29F64G08: 10 mA at 3.3 V (choices.md#energy)";
        /// Power of each MiB of RAM, always.
        ram: f64 = 0.0637, in 0.0..=1e6, unit "mW/MiB",
            source "Micron EDF8132A1MC: 32.6 mW of 512 MiB in standby (choices.md#energy)";
    }
}

figures! {
    /// Energy of the measured phase.
    pub struct EnergyReport {
        pub new(power: &EnergyConfig, device: &DeviceConfig, ledger: &Ledger, ram: Option<u64>, seconds: f64, host_bytes: u64);
        let joules = |milliwatts: f64, nanos: u64| milliwatts * nanos as f64 * 1e-12;
        let transfer = joules(power.transfer, device.page_transfer().1);
        let (read, program) = (joules(power.read, device.read.0), joules(power.program, device.program.0));
        let cost = |operation| match operation {
            Operation::Read => read + transfer,
            Operation::ReadOob => joules(power.read, device.oob_read.0),
            Operation::Program => program + transfer,
            Operation::CopyBack => read + program,
            Operation::Erase => unless_bug!(EnergyOfErasesMissing, joules(power.erase, device.erase.0), 0.0),
        };
        let of = |cause: Cause| -> f64 {
            Operation::ALL.iter().map(|operation| cost(*operation) * ledger.get(*operation, cause) as f64).sum()
        };
        let flash_j = BTreeMap::from_iter(Cause::ALL.iter().map(|cause| (cause.name(), of(*cause))));
        let ram_j = ram.map(|bytes| power.ram * 1e-3 * (bytes as f64 / f64::from(1 << 20)) * seconds);
        let total_j = ram_j.map(|ram_j| flash_j.values().sum::<f64>() + ram_j);
        /// Power of planes and buses x time of each operation.
        flash_j: BTreeMap<&'static str, f64> = flash_j, unit "J by cause", better Lower, source "choices.md#energy";
        /// `energy.ram` x RAM x time until the device is done.
        ram_j: Option<f64> = ram_j, unit "J", better Lower, null "if the FTL does not state its RAM",
            source "choices.md#energy";
        /// Energy of flash and RAM.
        total_j: Option<f64> = total_j, unit "J", better Lower, null "if the FTL does not state its RAM",
            source "choices.md#energy";
        /// `energy.total_j` / bytes that the host reads and writes.
        nj_per_host_byte: Option<f64> =
            total_j.filter(|_| host_bytes > 0).map(|joules| joules * 1e9 / host_bytes as f64), unit "nJ", better Lower,
            null "if the FTL does not state its RAM, and without such bytes", source "choices.md#energy",
            label "energy for a byte of the host";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;

    /// Of a device with 25/200/1500 us, and 25 ns for each of 4,096 bytes on the bus.
    #[test]
    fn energy_is_power_times_time() {
        let device = DeviceConfig { transfer_per_byte: Duration(25), ..DeviceConfig::default() };
        let mut ledger = Ledger::default();
        ledger.count_many(Operation::Program, Cause::Host, 10);
        ledger.count_many(Operation::CopyBack, Cause::GcData, 2);
        ledger.count(Operation::Erase, Cause::GcData);
        let with_ram = |power: &EnergyConfig, ram| {
            EnergyReport::new(power, &device, &ledger, ram, 2.0, 40_960)
        };
        let of = |power: &EnergyConfig| with_ram(power, Some(64 << 20));
        let power = EnergyConfig::default();
        let near = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} for {expected}");
        };
        let energy = of(&power);
        near(energy.flash_j["host"], 10.0 * (82.5e-3 * 200e-6 + 33e-3 * 102.4e-6));
        near(energy.flash_j["gc_data"], 2.0 * 82.5e-3 * 225e-6 + 82.5e-3 * 1.5e-3);
        let (ram_j, total_j) = (energy.ram_j.unwrap(), energy.total_j.unwrap());
        near(ram_j, 64.0 * 63.7e-6 * 2.0);
        near(total_j, energy.flash_j.values().sum::<f64>() + ram_j);
        near(energy.nj_per_host_byte.unwrap(), total_j * 1e9 / 40_960.0);
        let dearer = of(&EnergyConfig { erase: 165.0, ..power });
        near(dearer.total_j.unwrap() - total_j, 82.5e-3 * 1.5e-3);
        let unknown = with_ram(&power, None);
        assert_eq!((unknown.ram_j, unknown.total_j, unknown.nj_per_host_byte), (None, None, None));
        assert_eq!(unknown.flash_j, energy.flash_j);
    }
}
