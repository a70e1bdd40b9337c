"""python -m acapscan is the command acapscan."""

import os
import subprocess
import sys

from . import binary

command = [str(binary()), *sys.argv[1:]]
if os.name == "posix":
    os.execv(command[0], command)
sys.exit(subprocess.run(command, check=False).returncode)
