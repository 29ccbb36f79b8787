# Runs a command on a pseudo-terminal and talks to it: argv[1] is JSON with "command", "env" and "steps".
# A step waits until its "expect" has come out since the last step, then sends its "send" (or the signal "signal").
# Prints JSON with the whole transcript and the exit status; a step that waits for too long ends it with status null.
import json, os, pty, select, signal, sys, time

job = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(job["env"])
    os.execvp(job["command"][0], job["command"])

transcript = b""
seen = 0
deadline = time.monotonic() + 60


def read():
    global transcript
    ready, _, _ = select.select([fd], [], [], 0.2)
    if not ready:
        return time.monotonic() < deadline
    try:
        data = os.read(fd, 65536)
    except OSError:
        return False
    transcript += data
    return len(data) > 0


finished = True
for step in job["steps"]:
    expected = step["expect"].encode()
    while transcript.find(expected, seen) < 0:
        if not read():
            finished = False
            break
    if not finished:
        break
    seen = transcript.find(expected, seen) + len(expected)
    if "send" in step:
        os.write(fd, step["send"].encode())
    if "signal" in step:
        os.kill(pid, getattr(signal, step["signal"]))
while finished and read():
    pass
status = None
if finished and time.monotonic() < deadline:
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
else:
    os.kill(pid, signal.SIGKILL)
print(json.dumps({"transcript": transcript.decode("utf-8", "replace"), "status": status}))
