//! The parameters of fio's job files: those that decide about requests, and those that change nothing here.

use crate::error::Error;

macro_rules! keys {
    ($($key:ident = $($name:literal)|+),* $(,)?) => {
        /// A parameter that decides which requests are made.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Key { $($key),* }

        /// Their names, the usual one first.
        const NAMES: &[(Key, &[&str])] = &[$((Key::$key, &[$($name),+])),*];
    };
}

keys! {
    Rw = "rw" | "readwrite",
    RwSequencer = "rw_sequencer",
    Bs = "bs" | "blocksize",
    BsSplit = "bssplit",
    BsRange = "bsrange" | "blocksize_range",
    BlockAlign = "blockalign" | "ba",
    MixRead = "rwmixread",
    MixWrite = "rwmixwrite",
    Depth = "iodepth",
    NumJobs = "numjobs",
    FileName = "filename",
    Size = "size",
    IoSize = "io_size" | "io_limit",
    FileSize = "filesize",
    Offset = "offset",
    OffsetIncrement = "offset_increment",
    NumberIos = "number_ios",
    Loops = "loops",
    Distribution = "random_distribution",
    NoRandomMap = "norandommap",
    PercentageRandom = "percentage_random",
    RandSeed = "randseed",
    RandRepeat = "randrepeat",
    TimeBased = "time_based",
    Runtime = "runtime",
    RampTime = "ramp_time",
    StartDelay = "startdelay",
    Rate = "rate",
    RateIops = "rate_iops",
    RateProcess = "rate_process",
    ThinkTime = "thinktime",
    ThinkBlocks = "thinktime_blocks",
    Flow = "flow",
    Stonewall = "stonewall" | "wait_for_previous",
    Fsync = "fsync",
    Fdatasync = "fdatasync",
    Fdp = "fdp",
    DataPlacement = "dataplacement",
    Plids = "plids" | "fdp_pli",
    PlidSelect = "plid_select" | "fdp_pli_select",
    Scheme = "dp_scheme",
    WriteHint = "write_hint",
    KbBase = "kb_base",
}

/// Parameters that change no request: how fio reaches a device, what the data are, and what it reports.
const INERT: &str = "\
    allow_file_create allow_mounted_write allrandrepeat atomic buffer_compress_chunk
    buffer_compress_percentage buffer_pattern buffered bwavgtime clat_percentiles clocksource
    cmd_type continue_on_error cpumask cpus_allowed cpus_allowed_policy create_fsync
    create_on_open create_serialize deac dedupe_mode dedupe_percentage
    dedupe_working_set_percentage description direct directory disable_bw disable_bw_measurement
    disable_clat disable_lat disable_slat disk_util error_dump exitall_on_error fadvise_hint
    fallocate fixedbufs force_async group_reporting gtod_cpu gtod_reduce hipri hugepage-size
    invalidate io_submit_mode iodepth_batch iodepth_batch_complete iodepth_batch_complete_max
    iodepth_batch_complete_min iodepth_batch_submit iodepth_low ioengine iomem iomem_align
    iopsavgtime ioscheduler lat_percentiles lockfile lockmem log_alternate_epoch log_avg_msec
    log_compression log_compression_cpus log_entries log_hist_coarseness log_hist_msec
    log_max_value log_offset log_prio log_store_compressed log_unix_epoch log_window_value
    max_latency md_per_io_size mem mem_align name new_group nice nonvectored numa_cpu_nodes
    numa_mem_policy openfiles overwrite per_job_logs percentile_list prio prioclass
    random_generator rate_cycle rate_iops_min rate_min readonly refill_buffers registerfiles
    scramble_buffers serialize_overlap sgl significant_figures slat_percentiles softrandommap
    sqthread_poll sqthread_poll_cpu stats steadystate_check_interval thinktime_blocks_type
    thread uncached unified_rw_reporting unique_filename unit_base unlink unlink_each_loop
    uring_cmd use_os_rand userspace_reap write_bw_log write_hist_log write_iolog write_iops_log
    write_lat_log zero_buffers";

/// Parameters of which one value changes nothing, and any other would.
const INERT_AS: &[(&str, &[&str])] = &[
    ("verify", &["0", "none"]),
    ("do_verify", &["0"]),
    ("nrfiles", &["1"]),
    ("zonemode", &["none"]),
    ("bs_unaligned", &["0"]),
    ("blocksize_unaligned", &["0"]),
    ("bs_is_seq_rand", &["0"]),
    ("file_append", &["0"]),
    ("create_only", &["0"]),
    ("pre_read", &["0"]),
    ("sync", &["0", "none"]),
    ("end_fsync", &["0"]),
    ("fsync_on_close", &["0"]),
    ("latency_target", &["0"]),
    ("fill_device", &["0"]),
    ("fill_fs", &["0"]),
    ("thinktime_spin", &["0"]),
    ("exitall", &["0"]),
    ("rate_ignore_thinktime", &["0"]),
];

/// What a word at the beginning of a line is.
pub(super) enum Known {
    /// It decides about requests.
    Key(Key),
    /// It changes nothing.
    Inert,
}

impl Known {
    pub(super) fn of(word: &str, value: &str) -> Result<Self, String> {
        if let Some((key, _)) = NAMES.iter().find(|(_, names)| names.contains(&word)) {
            return Ok(Known::Key(*key));
        }
        if INERT.split_whitespace().any(|known| known == word) {
            return Ok(Known::Inert);
        }
        if let Some((_, values)) = INERT_AS.iter().find(|(name, _)| *name == word) {
            let told = || {
                let value = value.escape_debug();
                format!("found {word}={value}, which ftlab does not model; expected {}", values[0])
            };
            return values.contains(&value).then_some(Known::Inert).ok_or_else(told);
        }
        let known = NAMES.iter().flat_map(|(_, names)| names.iter().copied());
        Err(match Error::unknown("parameter", word, known) {
            Error::Unknown { nearest: Some(nearest), .. } => {
                format!("unknown parameter {word:?} (did you mean {nearest:?}?)")
            }
            _ => format!("unknown parameter {word:?}, expected one that the workload page lists"),
        })
    }
}

impl Key {
    /// The usual name.
    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(key, _)| *key == self).map_or("", |(_, names)| names[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_meaning() {
        let mut names: Vec<&str> =
            NAMES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        names.extend(INERT.split_whitespace());
        names.extend(INERT_AS.iter().map(|(name, _)| *name));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
