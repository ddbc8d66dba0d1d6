/** Findings of the doctor, one line each. */
export type Level = 'ok' | 'warn' | 'fail'

export interface Finding {
  level: Level
  /** The name of the check, in one word. */
  check: string
  /** The finding, with its values. */
  text: string
  /** Advice. */
  advice: string | null
}

export function ok(check: string, text: string): Finding {
  return { level: 'ok', check, text, advice: null }
}

export function warn(check: string, text: string, advice: string): Finding {
  return { level: 'warn', check, text, advice }
}

export function fail(check: string, text: string, advice: string): Finding {
  return { level: 'fail', check, text, advice }
}

export function lineOf({ level, check, text, advice }: Finding): string {
  const line = `${level.padEnd(6)}${check.padEnd(14)}${text}${advice === null ? '' : `: ${advice}`}`
  return line.replaceAll(/[^\P{C}]+/gu, ' ')
}

export function sizeOf(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** power
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** `3 repositories`. */
export function numberOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
