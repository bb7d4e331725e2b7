#!/usr/bin/env python3
"""Simulates a farm of 1 to 1,000 workers of one core each with measured costs; prints a table.

    Benchmarks/simulate.py --broker 60 --workers 520 [--tiles 16] [--broker-cores 1] [--tasks 30000] [--latency 0.2]
        [--spread 0.3] [--pictures 2000] [--seed 1] [--self-test]

broker, workers   processor time a picture, ms, as `Benchmarks/farm.py overhead` and `Benchmarks/measure.py` report it
tiles             tasks a picture; the broker's time is half before them (reading, checking, cutting) and half with their
                  results (taking in, stitching)
tasks             messages a second that one core of the broker handles besides (`Benchmarks/farm.py queue`, docs/running-a-farm.md)
latency           from broker to worker, ms; a worker has one task waiting while it works on another
spread            of the tasks' times: the standard deviation over the mean

A worker is given a task as soon as it has fewer than two; what the broker has to do waits in one queue for its cores. The
bulk is large enough that start and end do not count.
"""
import argparse
import heapq
import random

WAITING = 2


def simulate(count, o):
    """Runs a bulk on `count` workers; pictures a second, the broker's and the workers' share of time at work."""
    random.seed(o.seed)
    pictures = max(o.pictures, 8 * count // o.tiles)
    prepare, finish = o.broker / 2000, o.broker / 2000 / o.tiles
    message, latency = 1 / o.tasks, o.latency / 1000
    mean = o.workers / 1000 / o.tiles
    shape = 1 / o.spread ** 2 if o.spread else 0
    now, order, events = 0.0, 0, []
    # What the broker has to do, results first: (rank, order, kind, picture, worker).
    todo, free_cores, broker_time, worker_time = [], o.broker_cores, 0.0, 0.0
    ready, wanting = [], [worker for _ in range(WAITING) for worker in range(count)]
    queues, busy = [[] for _ in range(count)], [False] * count
    left, begun, done, open_pictures = [o.tiles] * pictures, 0, 0, 0
    # Enough pictures are prepared ahead that no worker waits for them, if the broker can.
    ahead = 2 + WAITING * count // o.tiles

    def at(time, *event):
        nonlocal order
        order += 1
        heapq.heappush(events, (time, order, *event))

    def ask(rank, *job):
        nonlocal order
        order += 1
        heapq.heappush(todo, (rank, order, *job))

    def work(worker):
        nonlocal worker_time
        if busy[worker] or not queues[worker]:
            return
        busy[worker] = True
        picture = queues[worker].pop(0)
        time = random.gammavariate(shape, mean / shape) if shape else mean
        worker_time += time
        at(now + time, "worked", picture, worker)

    while done < pictures:
        while begun < pictures and open_pictures < ahead:
            ask(2, "prepare", begun, None)
            begun, open_pictures = begun + 1, open_pictures + 1
        while ready and wanting:
            ask(1, "send", ready.pop(), wanting.pop(0))
        while todo and free_cores:
            _, _, kind, picture, worker = heapq.heappop(todo)
            cost = {"prepare": prepare, "send": message, "result": message + finish}[kind]
            free_cores, broker_time = free_cores - 1, broker_time + cost
            at(now + cost, kind, picture, worker)
        now, _, kind, picture, worker = heapq.heappop(events)
        if kind == "prepare":
            free_cores += 1
            open_pictures -= 1
            ready += [picture] * o.tiles
        elif kind == "send":
            free_cores += 1
            at(now + latency, "arrived", picture, worker)
        elif kind == "arrived":
            queues[worker].append(picture)
            work(worker)
        elif kind == "worked":
            busy[worker] = False
            work(worker)
            at(now + latency, "returned", picture, worker)
        elif kind == "returned":
            ask(0, "result", picture, worker)
            wanting.append(worker)
        else:
            free_cores += 1
            left[picture] -= 1
            done += left[picture] == 0
    return pictures / now, broker_time / now / o.broker_cores, worker_time / now / count


def self_test(o):
    """Few workers are all at work, and many are held up by the broker alone."""
    o.broker, o.workers, o.tiles, o.broker_cores, o.tasks, o.latency, o.pictures = 10, 1000, 10, 1, 1e9, 0.01, 300
    rate, _, at_work = simulate(4, o)
    assert abs(rate - 4) < 0.2 and at_work > 0.95, (rate, at_work)
    rate, broker, _ = simulate(400, o)
    assert abs(rate - 100) < 6 and broker > 0.94, (rate, broker)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in [("broker", 60.0), ("workers", 520.0), ("tasks", 30_000.0), ("latency", 0.2), ("spread", 0.3)]:
        parser.add_argument(f"--{name}", type=float, default=value)
    for name, value in [("tiles", 16), ("broker-cores", 1), ("pictures", 2000), ("seed", 1)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test(options)
    print("| Workers | Pictures a second | Times one worker | Workers at work | Broker at work |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    first = None
    for count in [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]:
        rate, broker, worker = simulate(count, options)
        first = first or rate
        print(f"| {count:,} | {rate:,.1f} | {rate / first:.1f} | {worker:.0%} | {broker:.0%} |", flush=True)


if __name__ == "__main__":
    main()
