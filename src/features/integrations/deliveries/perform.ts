/** Performs what an integration does for an event: the requests of its kind one after another, each through the SSRF guard. */
import type { App } from '../../../app.ts'
import type { Hook } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { diffRange } from '../../../git/diff/diff.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { type Posted, post } from '../../../outgoing/post.ts'
import { sendLines } from '../../../outgoing/send-lines.ts'
import { pinTarget, readTarget } from '../../../outgoing/ssrf-guard.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { programVersion } from '../../../version.ts'
import { targetRules } from '../../instance/targets.ts'
import { type Call, type DiffCall, type HttpCall, isSuccess, kindOf, type Payload, type SocketCall, textOf } from '../kinds/kinds.ts'
import { integrationById, settingsOf } from '../services/services.ts'
import { sendMail } from './send-mail.ts'

const deadline_ms = 10_000
const shown_bytes = 8_192
/** Limit of answers that determine what is sent next. */
const max_bytes = 1_048_576
/** Limit per event. */
const maxCalls = 100
/** Limits of a push in a mail: number of files, and total characters. */
const maxDiffs = 30
const maxDiff = 200_000

export interface Sent {
  uuid: string
  /** The stored answer of an earlier attempt, as JSON; null for the first. */
  response_headers: string | null
}

/** The last answer, or the first unsuccessful one; null if there is nothing to send. */
export async function perform(
  app: App,
  { integration_id }: Pick<Hook, 'integration_id'>,
  delivery: Sent,
  body: string,
): Promise<Posted | { error: string } | null> {
  const row = await integrationById(app.db, integration_id ?? 0)
  const kind = row && kindOf(row.slug)
  const payload = JSON.parse(body) as Payload
  if (!row || !kind?.act || !row.active || !('project' in payload)) return null
  try {
    const steps = kind.act(payload, settingsOf(app, row), { uuid: delivery.uuid, sender: 'Gitstead' })
    const rules = await targetRules(app)
    let answer: Posted | null = null
    let failed: Posted | null = null
    for (let step = steps.next(), calls = 0; !step.done && calls < maxCalls; calls++) {
      answer = await call(app, step.value, { rules, delivery })
      if (!isSuccess(answer)) failed ??= answer
      step = steps.next(answer)
    }
    const shown = failed ?? answer
    return shown && { ...shown, body: shown.body.slice(0, shown_bytes) }
  } catch (error) {
    if (error instanceof Failure) return { error: error.message }
    throw error
  }
}

/** The host that an integration sends to: that of its settings, or a fixed one, represented by the name of the kind. */
export async function hostOfIntegration(app: App, { integration_id }: Pick<Hook, 'integration_id'>): Promise<string> {
  const row = await integrationById(app.db, integration_id ?? 0)
  const kind = row && kindOf(row.slug)
  if (!row || !kind) return ''
  const settings = settingsOf(app, row)
  const field = kind.fields.find(({ name, isUrl }) => isUrl && textOf(settings, name) !== '')
  const url = field && textOf(settings, field.name)
  return url && isUrl(url) ? new URL(url).hostname : textOf(settings, 'server_host') || kind.slug
}

/** Sends one request of an integration. */
export async function ask(app: App, wanted: HttpCall): Promise<Posted | { error: string }> {
  try {
    return await request(wanted, await targetRules(app))
  } catch (error) {
    if (error instanceof Failure) return { error: error.message }
    throw error
  }
}

function call(app: App, wanted: Call, { rules, delivery }: { rules: { local: boolean }; delivery: Sent }): Promise<Posted> {
  if ('recipients' in wanted) return sendMail(app, delivery, wanted, JSON.parse(delivery.response_headers ?? '{}'))
  if ('project_id' in wanted) return diffOf(app, wanted)
  return 'host' in wanted ? speak(wanted, rules) : request(wanted, rules)
}

/** If a change is too large for a mail, only its beginning. */
async function diffOf({ git }: App, { project_id, from, to }: DiffCall): Promise<Posted> {
  const repo = git.open(project_id)
  const [before, after] = await Promise.all([resolveCommit(repo, from), resolveCommit(repo, to)])
  if (after === null) return { status: 404, headers: {}, body: '' }
  const { rows, total } = await diffRange(repo, before, after, { limit: maxDiffs, offset: 0 }, {})
  const texts = rows.map(({ old_path, new_path, patch }) => `--- ${old_path}\n+++ ${new_path}\n${patch}`)
  const whole = [...texts, ...(total > rows.length ? [`and ${total - rows.length} more files`] : [])].join('\n')
  return { status: 200, headers: {}, body: whole.length > maxDiff ? `${whole.slice(0, maxDiff)}\n…` : whole }
}

async function request({ method, url, headers, body, verifies = true }: HttpCall, rules: { local: boolean }): Promise<Posted> {
  const pinned = await pinTarget(readTarget(url, rules), rules)
  return post(pinned, {
    method,
    headers: { 'user-agent': `Gitstead/${programVersion}`, ...headers },
    body: Buffer.from(body),
    deadline_ms,
    max_bytes,
    verifies,
  })
}

async function speak({ host, port, lines }: SocketCall, rules: { local: boolean }): Promise<Posted> {
  const name = host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host
  const pinned = await pinTarget(readTarget(`http://${name}:${port}/`, rules), rules)
  await sendLines(pinned, { lines, deadline_ms })
  return { status: 200, headers: {}, body: '' }
}
