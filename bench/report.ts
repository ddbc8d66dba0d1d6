/** Prints the report: the machine, and a markdown table of the measurements. */
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { quick } from './settings.ts'

export interface Row {
  what: string
  ours: string
  /** The limit that it is compared with; empty when the aim is a plain number. */
  limit: string
  /** Ours in parts of the limit. */
  ratio: string
  aim?: string
  met?: boolean
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Progress for the user who waits, on standard error: not part of the result. */
export function printProgress(line: string): void {
  process.stderr.write(`… ${line}\n`)
}

export function describeMachine(): string {
  const cores = cpus()
  const git = execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`
  const warning = quick ? '\nA quick run: it shows that the bench works, and its figures mean nothing.\n' : ''
  return `${cores.length} cores (${cores[0]?.model.trim()}), ${memory}, Node.js ${process.versions.node}, ${git}${warning}`
}

/** An aim from above, `unit` behind both numbers. */
export function atMost(value: number, max: number, unit = ''): Pick<Row, 'aim' | 'met'> {
  return { aim: `≤ ${max}${unit && ` ${unit}`}`, met: value <= max }
}

export function atLeast(value: number, min: number): Pick<Row, 'aim' | 'met'> {
  return { aim: `≥ ${min}`, met: value >= min }
}

export function printTable(rows: Row[]): void {
  printLine('\n| measured | Gitstead | limit | ratio | aim | |\n|---|---|---|---|---|---|')
  for (const { what, ours, limit, ratio, aim = '', met } of rows) {
    const verdict = met === undefined ? '' : met ? 'met' : '**missed**'
    printLine(`| ${[what, ours, limit, ratio, aim, verdict].join(' | ')} |`)
  }
  const aims = rows.filter(({ met }) => met !== undefined)
  printLine(`\n${aims.filter(({ met }) => met).length} of ${aims.length} aims met.`)
}

/** The middle one; the lower of two. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}

/** Three significant digits, and all of those before the point. */
export function digits(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}
