/** Presents status checks, without their secrets. */
import type { App } from '../../../app.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { branchRulesOf, presentBranchRule } from '../../repository/protected-refs/protected-refs.ts'
import type { CheckedStatus, StatusCheck } from '../../review/status-checks/status-checks.ts'
import { withoutPassword } from '../hooks/hooks.ts'
import type { ExternalStatusCheck, MergeRequestStatusCheck } from './status-checks.schema.ts'

/** Presents checks of one project. One statement. */
export async function presentChecks(
  app: App,
  project_id: number,
  checks: readonly StatusCheck[],
): Promise<Presented<typeof ExternalStatusCheck>[]> {
  const rules = checks.length === 0 ? [] : await branchRulesOf(app.db, project_id)
  return checks.map((check) => ({
    id: check.id,
    name: check.name ?? '',
    project_id,
    external_url: urlOf(app, check),
    hmac: check.token !== null,
    protected_branches: rules.filter(({ id }) => check.protected_branch_ids.includes(id)).map(presentBranchRule),
  }))
}

/** @param showsUrl an address may name a secret, so that others only see its host */
export function presentStatus(app: App, { check, status }: CheckedStatus, showsUrl: boolean): Presented<typeof MergeRequestStatusCheck> {
  const url = urlOf(app, check)
  return { id: check.id, name: check.name ?? '', external_url: showsUrl ? url : new URL(url).origin, status }
}

/** Without the password in it. */
export function urlOf(app: App, { url }: StatusCheck): string {
  return withoutPassword(app.secrets.unseal(url, 'hooks.url'))
}
