"""Which point runs next."""

from itertools import product
from threading import Thread

import pytest

import ftlab
from ftlab.points import Point
from ftlab.points.batch import by_pass
from ftlab.points.costs import Costs
from ftlab.points.queue import Queue


def points(ftls=("dftl", "cdftl"), sizes=("16MiB",), caches=("4KiB", "8KiB", "16KiB")):
    """Points of so many FTLs and caches, on an input of each size."""
    inputs = [ftlab.Workload("randwrite", size=size, requests=100) for size in sizes]
    return [
        Point.of(each, ftl, config={"ftl": {"cache": cache}}, label=f"{ftl} {cache}")
        for each, ftl, cache in product(inputs, ftls, caches)
    ]


def run(queue, seconds=lambda point: 1.0):
    """Take all points one after another, and return their labels."""
    order = []
    while given := queue.take():
        point, input, opens = given
        if opens:
            queue.opened(input)
        order.append(point.label)
        queue.ended(point, seconds(point))
    return order


def test_one_point_of_each_ftl_goes_first():
    queue = Queue(points(), 2)
    labels = []
    while given := queue.take():
        queue.opened(given[1])
        labels.append(given[0].label)
    assert labels == [f"{ftl} {kib}KiB" for kib in (4, 8, 16) for ftl in ("dftl", "cdftl")]


def test_the_longest_goes_first_once_that_is_known():
    slow = {"dftl": 1.0, "cdftl": 3.0, "tpftl": 9.0}
    order = run(Queue(points(tuple(slow)), 2), lambda point: slow[point.ftl])
    assert [each.split()[0] for each in order[4:]] == ["tpftl", "tpftl", "cdftl", "dftl", "dftl"]


def test_inputs_follow_one_another_and_the_one_with_the_longest_point_is_next():
    sizes = ("16MiB", "17MiB", "18MiB", "19MiB")
    slow = dict(zip(sizes, (1.0, 1.0, 2.0, 9.0), strict=True))
    queue = Queue(points(("dftl", "cdftl"), sizes, ("4KiB",)), 1)
    seen = []
    while given := queue.take():
        point, input, opens = given
        if opens:
            queue.opened(input)
        seen.append(point.config["workload"]["size"])
        queue.ended(point, slow[seen[-1]])
    # Nothing tells one input from another before a point of it has run.
    assert seen == [size for size in sizes for _ in range(2)]


def test_nobody_waits_for_an_input_while_another_can_be_opened():
    queue = Queue(points(sizes=("16MiB", "17MiB", "18MiB")), 4)
    first, second = queue.take(), queue.take()
    assert first[2] and second[2]
    assert first[1] is not second[1]


def test_others_wait_until_an_input_is_open():
    queue = Queue(points(sizes=("16MiB", "17MiB", "18MiB")), 2)
    first, second = queue.take(), queue.take()
    taken = []
    waits = Thread(target=lambda: taken.append(queue.take()), daemon=True)
    waits.start()
    waits.join(0.1)
    assert not taken, "no more than two inputs are open"
    queue.opened(second[1])
    waits.join(10)
    assert taken[0][1] is second[1]
    assert not taken[0][2]
    assert first[1] is not second[1]


def test_an_input_of_one_point_keeps_nobody_waiting():
    queue = Queue(points(("dftl",), ("16MiB", "17MiB", "18MiB"), ("4KiB",)), 2)
    assert [queue.take()[2] for _ in range(3)] == [False, False, False]
    assert queue.take() is None


def test_a_point_that_is_refused_has_no_reading():
    refused = Point.of(
        ftlab.Workload("randwrite", size="1MiB", requests=1), config={"gc": {"low": 0}}
    )
    assert refused.refusal
    point, input, opens = Queue([refused], 2).take()
    assert (point, input.reading(point), opens) == (refused, None, False)


def devices(count, ftls=("dftl",)):
    """Points of this many devices of an array."""
    workload = ftlab.Workload("randwrite", size="16MiB", requests=100)
    return [
        Point.of(workload, ftl, config={"input": {"shard": f"{each}/{count}:64KiB"}}, label=each)
        for each in range(count)
        for ftl in ftls
    ]


def test_devices_of_an_array_are_shared_out_over_passes():
    for workers, share in [(1, 7), (2, 4), (4, 4), (6, 3)]:
        queue = Queue(devices(7), workers)
        point, input, opens = queue.take()
        assert opens and queue.has_arrays
        points, readings = input.devices(point)
        assert [each.label for each in points] == list(range(share))
        assert len({id(each) for each in readings}) == share


def test_a_device_that_is_alone_in_its_pass_is_opened_in_one():
    queue = Queue(devices(4), 8)
    taken = [queue.take() for _ in range(4)]
    assert queue.has_arrays and all(opens for _, _, opens in taken)
    assert [len(input.devices(point)[0]) for point, input, _ in taken] == [1] * 4
    assert queue.most_kept == 4 + 8 - 1


def test_devices_that_do_not_fit_into_memory_wait_for_another_pass():
    queue = Queue(devices(5, ("dftl", "page")), 1)
    seen, shares = [], []
    while given := queue.take():
        point, input, opens = given
        if opens:
            points, _ = input.devices(point)
            shares.append(len(points))
            queue.opened(input, points[2:])
        reading = input.reading(point)
        seen.append((point.label, str(point.ftl), id(reading)))
        queue.ended(point, 2.0)
    assert shares == [5, 3, 1]
    assert len({each[:2] for each in seen}) == len(seen) == 10
    assert [each[0] for each in seen] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_what_shares_a_pass_is_one_array():
    others = ["0/2:64KiB", "1/2:64KiB", "0/3:64KiB", "2/3:64KiB", "0/2:32KiB", None, None]
    plain = [ftlab.Workload("randwrite", size="16MiB", requests=n) for n in (1, 1, 1, 1, 1, 1, 2)]
    points = [
        Point.of(source, "page", config={"input": {"shard": shard}})
        for source, shard in zip(plain, others, strict=True)
    ]
    together = [[len(group) for group in groups] for groups in by_pass([*points, *points], 1)]
    assert together == [[2, 2], [2, 2], [2], [2], [2]]
    assert Queue(points[4:], 1).has_arrays and not Queue(points[5:], 1).has_arrays


def test_costs_are_products_of_what_values_make_of_them():
    known = points(("dftl", "cdftl", "tpftl"), caches=("4KiB", "8KiB", "16KiB", "32KiB"))
    ftls = {"dftl": 1.0, "cdftl": 2.0, "tpftl": 4.0}
    caches = {"4KiB": 3.0, "8KiB": 2.0, "16KiB": 1.5, "32KiB": 1.0}

    def seconds(point):
        return ftls[point.ftl] * caches[point.config["ftl"]["cache"]]

    costs = Costs(known)
    assert costs.of(known[0]) == 1.0
    told = [point for place, point in enumerate(known) if (place + place // 4) % 2 == 0]
    left = [point for point in known if point not in told]
    for point in told:
        costs.learn(point, seconds(point))
    for point in left:
        assert costs.of(point) == pytest.approx(seconds(point), rel=1.0)
    ranks = sorted(left, key=costs.of)
    assert ranks[-1].label == "tpftl 8KiB"
    assert ranks[0].label == "dftl 32KiB"
