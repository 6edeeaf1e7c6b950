"""Runs a command whose standard error is a terminal and prints what that terminal receives.

usage: terminal.py [--columns N] COMMAND...     exit code of COMMAND

Standard output of the command is passed through. Every erased line begins a new line: "\\r\\033[K"
becomes a line break and "[erase]".
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def main():
    arguments = sys.argv[1:]
    columns = 80
    if arguments[0] == "--columns":
        columns, arguments = int(arguments[1]), arguments[2:]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = dict(os.environ, TERM=os.environ.get("TESTED_TERM", "xterm"))
    process = subprocess.Popen(arguments, stderr=theirs, env=environment)
    os.close(theirs)
    received = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        received += part
    text = received.decode().replace("\r\n", "\n").replace("\r\033[K", "\n[erase]")
    sys.stderr.write(text + "\n")
    return process.wait()


sys.exit(main())
