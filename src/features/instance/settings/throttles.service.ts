/** The `throttle_*` settings as rules for requests, kept in memory so that a request costs no statement. */
import type { App } from '../../../app.ts'
import { type ThrottleName, type ThrottleRules, throttleNames } from '../../../limits/throttles.ts'
import { readSettings, type Settings } from './settings.service.ts'

/** How soon a change by another process counts. */
const interval_ms = 1_000

/** Loads the rules in force. */
export async function loadThrottles(app: App): Promise<void> {
  app.limits.throttles.rules = rulesOf(await readSettings(app.db))
}

/** Loads them now, and again regularly. Returns a function that ends it. */
export async function watchThrottles(app: App): Promise<() => void> {
  await loadThrottles(app)
  // While the database is away the rules stay as they are; the queue logs that it is.
  const timer = setInterval(() => void loadThrottles(app).catch(() => {}), interval_ms)
  timer.unref()
  return () => clearInterval(timer)
}

function rulesOf(settings: Settings): ThrottleRules | null {
  const rules = Object.fromEntries(throttleNames.map((name) => [name, ruleOf(settings, name)])) as ThrottleRules
  return throttleNames.some((name) => rules[name] !== null) ? rules : null
}

function ruleOf(settings: Settings, name: ThrottleName) {
  if (!settings[`throttle_${name}_enabled`]) return null
  return { max: settings[`throttle_${name}_requests_per_period`], period_s: settings[`throttle_${name}_period_in_seconds`] }
}
