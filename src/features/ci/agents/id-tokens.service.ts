/** Signs the id tokens of a job, which identify it to other services without a stored secret. */
import { randomUUID } from 'node:crypto'
import { findProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { JobIdToken } from '../../../ci/plan.ts'
import { expand, expandedLookup, lookupIn } from '../../../ci/text/variables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { signToken } from '../../people/oauth/oauth.ts'
import { claimsOfJob, type IdTokenFacts } from './id-tokens.ts'
import { updateJobTokens } from './payload.queries.ts'
import type { RunnerVariable } from './variables.ts'

/**
 * They override the variables that are known before them, which audiences may contain. They are stored sealed, to mask them in the trace.
 */
export async function idTokensFor(
  app: App,
  wanted: readonly JobIdToken[],
  facts: Omit<IdTokenFacts, 'user_level'>,
  variables: readonly RunnerVariable[],
): Promise<RunnerVariable[]> {
  if (wanted.length === 0) return []
  const { user, project } = facts
  const access = user && (await findProject(app.db, String(project.id), user).catch(nullIfMissing))
  const lookup = expandedLookup(lookupIn(variables.map(({ key, value, raw = false }) => ({ key, value, raw }))))
  const issued_s = Math.floor(Date.now() / 1000)
  const tokens: RunnerVariable[] = []
  for (const { key, aud } of wanted) {
    const given = { id: randomUUID(), aud: aud.map((one) => expand(one, lookup)), issued_s }
    const value = await signToken(app, claimsOfJob(app.config, { ...facts, user_level: access?.level ?? 0 }, given))
    tokens.push({ key, value, public: false, masked: true, file: undefined, raw: true })
  }
  const sealed = app.secrets.seal(JSON.stringify(tokens.map(({ value }) => value)), 'ci_jobs.id_tokens')
  await updateJobTokens(app.db, facts.status.id, sealed)
  return tokens
}
