/** Instants described by cron expressions in time zones. */
import { Cron } from 'croner'
import type { Instant } from '../../../db/tables.ts'

const longest = 255

/** Null for an expression of five fields (or `@daily` and the like) that matches at least one instant. */
export function cronError(expression: string): string | null {
  return parse(expression, 'UTC')?.nextRun() ? null : 'is invalid syntax'
}

/** Null for an IANA time zone, such as `Europe/Berlin`. */
export function timeZoneError(zone: string): string | null {
  return zone.length <= longest && parse('0 0 * * *', zone) ? null : 'is invalid syntax'
}

/** The next matching instant; null if there is none, or the expression or the zone is invalid. */
export function nextTime(expression: string, zone: string, after: Date): Instant | null {
  return parse(expression, zone)?.nextRun(after)?.toISOString() ?? null
}

/** The last matching instant, or null. */
export function previousTime(expression: string, zone: string, before: Date): Instant | null {
  const [found] = parse(expression, zone)?.previousRuns(1, before) ?? []
  return found?.toISOString() ?? null
}

function parse(expression: string, timezone: string): Cron | null {
  if (expression.length > longest) return null
  try {
    const cron = new Cron(expression, { timezone, paused: true, mode: '5-part' })
    // An unknown zone is only detected when an instant is computed.
    cron.nextRun()
    return cron
  } catch {
    return null
  }
}
