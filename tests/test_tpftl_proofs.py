"""What DFTL can lose in MSR without a queue, by the paper's own numbers."""

import pytest

from ftlab_papers.tpftl import EXPERIMENT, proofs
from ftlab_papers.tpftl.claims import LOSSES_OF_RESPONSE


def test_translation_takes_no_fifth_of_dftls_service_in_msr() -> None:
    # Misses: 0.214 x 25 us. Writes: 0.824 x 0.160 x (25 + 200 + 1500 / 64) us. Data: 169.2 us.
    added = 0.214 * 25 + 0.824 * (1 / 0.862 - 1) * (225 + 1500 / 64)
    assert proofs.most_lost(0.824) == pytest.approx(added / (added + 169.2), rel=1e-3)
    assert 0.18 < proofs.most_lost_in_msr() < 0.2 < min(LOSSES_OF_RESPONSE)


def test_with_a_worse_hit_ratio_or_more_writes_more_is_lost(monkeypatch) -> None:
    usual = proofs.most_lost(0.824)
    for name, worse in (("MORE_HITS", 0.5), ("LESS_AMPLIFICATION", 0.5), ("READ_US", 100.0)):
        with monkeypatch.context() as patch:
            patch.setattr(proofs, name, worse)
            assert proofs.most_lost(0.824) > usual, name


def test_both_claims_on_responses_in_msr_have_the_proof() -> None:
    proved = {each.id for each in EXPERIMENT.claims if "18.4 % of DFTL's service" in each.proof}
    assert proved == {"T7", "T25"}
