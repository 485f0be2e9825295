"""Training in several processes by MPI: one and two are measured here, more machines modelled."""

import json
import math
import os
import shutil
import statistics
import subprocess

from compare import table

NETWORK, BATCH = "sketch", 256
# The least efficiency of two processes, and the most that the model may be wrong about them.
EFFICIENCY, WRONG = 0.9, 0.1
# The sums of a step: of the gradients, of the losses, and of whether to stop; and five for each of the four batch
# normalisations, of their statistics.
SUMS = 3 + 5 * 4
# Makes the processes of one machine use TCP, as machines on a network do.
TCP = ["--mca", "pml", "ob1", "--mca", "btl", "self,tcp"]


def several_processes(comparison):
    """How fast several processes train one network."""
    rates = comparison.arguments.rates_mpi
    if not (rates and shutil.which("mpirun")):
        comparison.progress("  Open MPI is absent: no rows of several processes")
        return ""
    if len(os.sched_getaffinity(0)) < 2:
        comparison.progress("  one core only: no rows of several processes")
        return ""

    def ask(processes, transport=(), apart=False, **request):
        """The median of so many processes, which work together, or each for itself if they are `apart`."""
        text = json.dumps({"task": "train", "network": NETWORK, "batch": BATCH,
                           "seconds": 3 * comparison.seconds} | request)
        command = ["mpirun", *(["--allow-run-as-root"] if os.getuid() == 0 else []), "--bind-to", "core",
                   *transport, "-n", str(processes),
                   *(["env", "-u", "OMPI_COMM_WORLD_SIZE", "-u", "PMI_SIZE"] if apart else []),
                   rates, "1", text]
        answers = [json.loads(line)["median"] for _ in range(comparison.rounds)
                   for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]
        return statistics.median(answers)

    counts = [2**power for power in range(7)]
    alone = {count: ask(1, batch=BATCH // count) for count in counts}
    # Two on one machine share its caches and its memory.
    beside = ask(2, apart=True, batch=BATCH // 2)
    measured = ask(2)
    parameters = weights(rates)

    def cost(transport):
        """The microseconds of a sum of one number, and of each number more."""
        short, long = (ask(2, transport, task="sum", examples=count) for count in (1, parameters))
        return short, (long - short) / parameters

    def modelled(count, step, latency, number):
        """Shares are added up and sent back in a ring (Patarasuk & Yuan, 2009), in which two machines send each number
        once and many send it twice; the latency of a sum grows with the levels of a tree."""
        shares = 2 * (count - 1) / count
        return step + SUMS * latency * math.log2(count) + parameters * number * shares

    here, network = cost(()), cost(TCP)
    comparison.progress("  several processes")
    lines = [["1", f"{alone[1] / 1000:.2f} ms", "", "1.00"]]
    efficiency = alone[1] / 2 / measured
    model = modelled(2, beside, *here)
    wrong = model / measured - 1
    lines.append(["2, by shared memory", f"{measured / 1000:.2f} ms", f"{model / 1000:.2f} ms ({100 * wrong:+.0f} %)",
                  f"{efficiency:.2f}"])
    comparison.others_asked += [
        ["two processes by MPI: efficiency", "", f"{EFFICIENCY}", f"{efficiency:.2f}",
         "met" if efficiency >= EFFICIENCY else "**not met**"],
        ["two processes by MPI: the model of a step", "", f"within {100 * WRONG:.0f} %", f"{100 * wrong:+.0f} %",
         "met" if abs(wrong) <= WRONG else "**not met**"]]
    measured = ask(2, TCP)
    model = modelled(2, beside, *network)
    lines.append(["2, by TCP", f"{measured / 1000:.2f} ms",
                  f"{model / 1000:.2f} ms ({100 * (model / measured - 1):+.0f} %)",
                  f"{alone[1] / 2 / measured:.2f}"])
    for count in counts[2:]:
        model = modelled(count, alone[count], *network)
        lines.append([f"{count} machines", "", f"{model / 1000:.2f} ms", f"{alone[1] / count / model:.2f}"])
    return (f"""## Several processes

Steps of training `{NETWORK}` with batches of {BATCH}, which the processes share; each has one core. The model adds the
measured step of a share of the batch to {SUMS} sums over all processes: of {parameters:,} gradients, of the statistics of
batch normalisation, of the losses and of whether to stop. For two processes, that step is measured while another one does
the same beside it ({beside / 1000:.2f} instead of {alone[2] / 1000:.2f} ms). On this machine, a sum of one number takes
{here[0]:.1f} µs by shared memory and {network[0]:.1f} µs by TCP, and one of all gradients
{here[1] * parameters / 1000:.2f} and {network[1] * parameters / 1000:.2f} ms more. More machines are modelled with the
times of TCP here, as if their network were as fast.

""" + table(["processes", "a step", "modelled", "efficiency"], lines))


def weights(rates):
    """The number of weights of the network."""
    request = {"task": "peak", "network": NETWORK, "batch": 1, "seconds": 0.01}
    answers = subprocess.run([rates, "1"], input=json.dumps(request) + "\n", check=True, capture_output=True, text=True)
    return json.loads(answers.stdout.splitlines()[-1])["parameters"]
