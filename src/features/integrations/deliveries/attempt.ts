/** One attempt of a delivery: a request to a webhook, or the requests of an integration. */
import type { App } from '../../../app.ts'
import type { Hook } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { post } from '../../../outgoing/post.ts'
import { pinTarget, readTarget, type Target } from '../../../outgoing/ssrf-guard.ts'
import { targetRules } from '../../instance/targets.ts'
import { fillUrl, valuesOf } from '../hooks/hooks.ts'
import { followBuild } from './builds.jobs.ts'
import type { WaitingDelivery } from './deliveries.queries.ts'
import type { Answer } from './outcome.ts'
import { hostOfIntegration, perform } from './perform.ts'
import { headersOf } from './request.ts'

const deadline_ms = 10_000
const shown_bytes = 8_192

/** Integrations of many projects may use the same host, too. */
export async function hostOf(app: App, hook: Hook, target: Target | { error: string } | null): Promise<string> {
  if (target === null) return hostOfIntegration(app, hook)
  return 'host' in target ? target.host : ''
}

/** Null if the integration doesn't handle the event. */
export async function answerOf(
  app: App,
  hook: Hook,
  target: Target | { error: string } | null,
  delivery: WaitingDelivery,
  body: string,
): Promise<FullAnswer | { error: string } | null> {
  // When it is sent again on request, it starts from the beginning.
  const earlier = delivery.attempts === 0 ? null : delivery.response_headers
  if (target === null) {
    const answer = await perform(app, hook, { uuid: delivery.uuid, response_headers: earlier }, body)
    await followBuild(app, hook, body, answer)
    return answer
  }
  if ('error' in target) return target
  return attempt(app, hook, target, delivery, Buffer.from(hook.is_status_check ? namingCheck(hook, target, body) : body))
}

/** Which check is asked: the name of the field is that of the API. */
function namingCheck({ id, name }: Hook, { url }: Target, body: string): string {
  return JSON.stringify({ ...JSON.parse(body), external_approval_rule: { id, name, external_url: url } })
}

interface FullAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

async function attempt(
  app: App,
  hook: Hook,
  target: Target,
  delivery: WaitingDelivery,
  body: Buffer,
): Promise<FullAnswer | Extract<Answer, { error: string }>> {
  try {
    const pinned = await pinTarget(target, await rulesOf(app, hook))
    return await post(pinned, {
      headers: headersOf(app, hook, delivery, body, new Date()),
      body,
      deadline_ms,
      max_bytes: shown_bytes,
      verifies: hook.enable_ssl_verification,
    })
  } catch (error) {
    if (error instanceof Failure) return { error: error.message }
    throw error
  }
}

/** A URL that was allowed when it was entered may be forbidden now. Null for an integration, which determines its own URLs. */
export function targetOf(app: App, hook: Hook): Target | { error: string } | null {
  if (hook.integration_id !== null) return null
  try {
    const { url, missing } = fillUrl(app.secrets.unseal(hook.url, 'hooks.url'), valuesOf(app, hook, 'url_variables'))
    return missing === null ? readTarget(url, { local: true }) : { error: `The URL variable ${missing} has no value` }
  } catch (error) {
    if (error instanceof Failure) return { error: error.message }
    throw error
  }
}

/** Hooks of the instance belong to an administrator. */
async function rulesOf(app: App, { project_id, namespace_id }: Hook): Promise<{ local: boolean }> {
  return project_id === null && namespace_id === null ? { local: true } : targetRules(app)
}
