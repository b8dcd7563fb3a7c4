"""A recorded session in place of a target: its calls stay in its file."""

import random
import time

from conformance.kit.evidence.recorder import Recorder
from conformance.kit.record.exchanges import ExchangeWriter, read_exchanges
from conformance.kit.record.recorded_verdicts import take_in
from tests.kit.report.sample import case, exchange


def test_the_calls_of_a_record_are_read_alone_in_any_order(tmp_path):
    made = {n: exchange(n, of=case()) for n in range(1, 4_001)}
    with ExchangeWriter(tmp_path / "a.ndjson", kit="0.1.0", started="now") as writer:
        for each in made.values():
            writer.write(each)
    recorder = Recorder()
    take_in(read_exchanges(writer.path), recorder)
    assert set(recorder.by_id) == set(made)
    assert recorder.requests == {made[1].run: len(made)}
    asked = random.Random(1).choices(list(made), k=1_000)
    began = time.process_time()
    assert [recorder.by_id[n] for n in asked] == [made[n] for n in asked]
    assert time.process_time() - began < 10  # a minute, if each lookup reads its neighbors too
