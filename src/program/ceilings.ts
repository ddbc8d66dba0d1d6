/**
 * Ceilings of a child process: memory, processor time, no core files. They are set by a shell that then becomes the program. `prlimit
 * --pid` from outside comes too late for a short process, a limit on the server would limit Node.js, and a cgroup per process needs
 * privileges that a service doesn't always have. Outside of Linux the memory ceiling has no effect; only deadlines and limits on output
 * apply.
 */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Limits {
  /** Private memory: heap and anonymous mappings, not the packs it maps. Null for no ceiling. */
  memory_bytes: number | null
  /** Processor time of all its threads. Null for no ceiling. */
  cpu_s: number | null
}

const shell = '/bin/sh'

/**
 * A shell takes 0.6 ms where `prlimit` takes 0.8 ms, and every system has one. A ceiling that can't be set, for example because a lower one
 * is in force, is skipped.
 */
const script = '{ ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; } 2>/dev/null; shift 2; exec "$@"'

/** The command line that runs `command` (full path and arguments) under these ceilings. */
export function underLimits({ memory_bytes, cpu_s }: Limits, command: string[]): string[] {
  if (memory_bytes === null && cpu_s === null) return command
  const kibibytes = memory_bytes === null ? 'unlimited' : String(Math.floor(memory_bytes / 1024))
  return [shell, '-c', script, 'sh', kibibytes, cpu_s === null ? 'unlimited' : String(cpu_s), ...command]
}

/** The full path of a program; null if no folder of `path` contains it. */
export function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    const file = join(folder || '.', name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder; try the next.
    }
  }
  return null
}
