/**
 * Ceilings of a child process: memory, processor time, no core files. Set by a shell that then becomes the program.
 *
 * `prlimit --pid` from outside comes too late for a quick process, a limit on the server would limit Node.js, and a cgroup for each process needs
 * rights a service doesn't have everywhere. Outside of Linux the memory limit has no effect; deadlines and counting hold alone.
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
 * A shell, as it costs 0.6 ms where `prlimit` costs 0.8 ms, and every system has one; setting the limits from outside once the
 * process runs would be too late for a quick one. A limit that can't be set, as where a lower one holds already, is left out.
 */
const script = '{ ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; } 2>/dev/null; shift 2; exec "$@"'

/** The command line that runs `command`, a program by its full path with its arguments, under these limits. */
export function underLimits({ memory_bytes, cpu_s }: Limits, command: string[]): string[] {
  if (memory_bytes === null && cpu_s === null) return command
  const kibibytes = memory_bytes === null ? 'unlimited' : String(Math.floor(memory_bytes / 1024))
  return [shell, '-c', script, 'sh', kibibytes, cpu_s === null ? 'unlimited' : String(cpu_s), ...command]
}

/** The full path of a program; null where the folders of `path` have none. */
export function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    const file = join(folder || '.', name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  return null
}
