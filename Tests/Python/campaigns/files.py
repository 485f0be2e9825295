"""Makes each operation on files of commands that write fail, or end the process, one run for each.

    scripts/stress files            every operation of every command, with every fault
    scripts/stress files --quick    some of the operations of some commands, in about two seconds
    scripts/stress files NAME …     only these commands; --list names them
    scripts/stress files --every N  only every N-th operation

The faults are those of Tests/Faults/faults.c: no space, an I/O error, no permission, another device, a
disk that becomes full in the middle of a write, and a crash before or after the operation. After an
error, the old or the new file or folder is in its place, the command says what happened in one sentence
that is not a crash, and nothing else is left. After a crash, the old or the new one is there, too; what
is left beside it is gone after the next run. For a loss of power after a crash, all files that were
written and not flushed are emptied, or cut where they ended at the last flush: the old or the new one has
to be there even then.

`studio` changes documents, recordings, practice and the model in use of a studio. A request that fails
says why and succeeds when it is sent again. After a crash and a loss of power, everything that was
answered is there, and when the rest of the requests was sent, all of it is there, and no temporary file.
Linux only.
"""

import sys
import tempfile

from campaigns.faults import build_library
from campaigns.file_commands import COMMANDS, check_command
from campaigns.file_studio import check_studio
from campaigns.options import count, parser
from inkstate.command import require_build

# Of the operations in a quick run, every fourth is tried.
QUICK = 4


def main(arguments):
    known = parser("files", __doc__)
    known.add_argument("names", nargs="*")
    known.add_argument("--list", action="store_true")
    known.add_argument("--quick", action="store_true")
    known.add_argument("--every", type=count, default=1)
    options = known.parse_args(arguments)
    names = [*COMMANDS, "studio"]
    if options.list:
        print("\n".join(names))
        return
    for name in options.names:
        if name not in names:
            known.error(f"there is no command `{name}`; --list names them")
    require_build()
    quick = [name for name, command in COMMANDS.items() if command.is_quick]
    stride = QUICK if options.quick else options.every
    with tempfile.TemporaryDirectory() as folder:
        library = build_library(folder)
        runs, problems = 0, 0
        for name in options.names or (quick if options.quick else names):
            tried, found = check_studio(library, stride) if name == "studio" else check_command(library, name, stride)
            runs += tried
            problems += len(found)
            print(f"{name}: {tried} runs with a fault, {len(found)} problems", flush=True)
            for problem in found[:20]:
                print(f"  {problem}", flush=True)
        print(f"{runs} runs, {problems} problems")
        if problems:
            sys.exit(1)
