/** The `throttle_*` settings as rate limits, cached in memory so that a request needs no statement. */
import { hostname } from 'node:os'
import type { App } from '../../../app.ts'
import { capabilitiesOf } from '../../../db/engine/capabilities.ts'
import { type ActLimit, actLimits, type Throttle, type ThrottleName, type ThrottleRules, throttleNames } from '../../../limits/throttles.ts'
import { readSettings, type Settings } from './settings.service.ts'
import { sharedCounts } from './shared-counts.ts'

/** How soon a change by another process takes effect. */
const interval_ms = 1_000

/** Loads the current rules. */
export async function loadThrottles(app: App): Promise<void> {
  app.limits.throttles.rules = rulesOf(await readSettings(app.db))
}

/**
 * Loads them now, and again regularly. Returns a function that stops this. If several servers may use the database, they share their
 * counts.
 */
export async function watchThrottles(app: App): Promise<() => void> {
  await loadThrottles(app)
  const { throttles } = app.limits
  const shared = capabilitiesOf(app.db).locksRows
    ? sharedCounts(app.db, thisServer(app), { count: throttles.count, above: throttles.above })
    : null
  if (shared) Object.assign(throttles, shared.counter)
  const update = async () => {
    await loadThrottles(app)
    if (throttles.rules) await shared?.sync()
  }
  // While the database is unavailable the rules are kept; the queue logs the outage.
  const timer = setInterval(() => void update().catch(() => {}), interval_ms)
  timer.unref()
  return () => clearInterval(timer)
}

/** All workers of a server have the same parent process. */
function thisServer({ config }: App): string {
  return `${hostname()} ${config.processes > 1 ? process.ppid : process.pid}`
}

function rulesOf(settings: Settings): ThrottleRules | null {
  const periodic = ([...throttleNames, 'protected_paths'] as const).map((name) => [name, ruleOf(settings, name)] as const)
  const ofActs = (Object.keys(actLimits) as ActLimit[]).map((name) => [name, actRuleOf(settings, name)] as const)
  const { unique_ips_limit_enabled: on, unique_ips_limit_per_user: max, unique_ips_limit_time_window: window_s } = settings
  const networks_per_user = on ? { max, window_s } : null
  const counted = [...periodic, ...ofActs]
  if (networks_per_user === null && counted.every(([, rule]) => rule === null)) return null
  const rules = Object.fromEntries(counted) as Record<ThrottleName, Throttle | null>
  return { ...rules, paths: settings.protected_paths, networks_per_user }
}

function actRuleOf(settings: Settings, name: ActLimit) {
  const max = settings[actLimits[name]]
  return max === 0 ? null : { max, period_s: 60 }
}

function ruleOf(settings: Settings, name: (typeof throttleNames)[number] | 'protected_paths') {
  if (!settings[`throttle_${name}_enabled`]) return null
  return { max: settings[`throttle_${name}_requests_per_period`], period_s: settings[`throttle_${name}_period_in_seconds`] }
}
