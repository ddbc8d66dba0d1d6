/** Progress of a command: a changing line on a terminal, otherwise a line every few seconds. */

export interface Progress {
  /** The current step. */
  phase: string
  rows: number
  repositories: number
  objects: number
  copied_bytes: number
  linked_bytes: number
  /** Bytes that were read again and verified. */
  checked_bytes: number
  faults: string[]
  /** Records an error, and prints it at once. */
  fault: (line: string) => void
  /** Prints a warning. */
  warn: (line: string) => void
  /** Ends the display. */
  end: () => void
}

const line_ms = 5_000
const terminal_ms = 200

type Screen = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>

export function openProgress(quiet: boolean, screen: Screen = process.stderr): Progress {
  const started = Date.now()
  const clear = screen.isTTY && !quiet ? '\r\u001b[K' : ''
  const printLine = (line: string) => void screen.write(`${clear}${line}\n`)
  const progress: Progress = {
    phase: '',
    rows: 0,
    repositories: 0,
    objects: 0,
    copied_bytes: 0,
    linked_bytes: 0,
    checked_bytes: 0,
    faults: [],
    fault(line) {
      progress.faults.push(line)
      printLine(`gitstead: ${line}`)
    },
    warn: (line) => printLine(`gitstead: warning: ${line}`),
    end: () => {
      clearInterval(timer)
      if (clear) screen.write(clear)
    },
  }
  const show = () =>
    screen.write(
      clear ? `${clear}${progress.phase}: ${countsOf(progress)}` : `${secondsSince(started)} ${progress.phase}: ${countsOf(progress)}\n`,
    )
  const timer = quiet ? undefined : setInterval(show, clear ? terminal_ms : line_ms)
  timer?.unref()
  return progress
}

function secondsSince(started: number): string {
  return `${Math.round((Date.now() - started) / 1_000)} s`
}

export function countsOf({ rows, repositories, objects, ...bytes }: Progress): string {
  const { copied_bytes: copied, linked_bytes: linked, checked_bytes: checked } = bytes
  const sizes = [`${sizeText(copied)} copied`, linked > 0 && `${sizeText(linked)} linked`, checked > 0 && `${sizeText(checked)} checked`]
  return `${rows} rows, ${repositories} repositories, ${objects} objects; ${sizes.filter(Boolean).join(', ')}`
}

function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`
}
