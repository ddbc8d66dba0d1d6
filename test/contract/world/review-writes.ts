/** What the writes of approval rules and push rules need to succeed. */
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared } from './writes.ts'

let counter = 0

export function reviewWrites(
  { forge, group, project, values }: ContractFixtures,
  idOf: (path: string, body: unknown) => Promise<string>,
): Prepared {
  const root = forge.as(forge.root)
  const at = `/projects/${project.id}`
  const request = '/projects/:id/merge_requests/:merge_request_iid'
  // Optional rules, so that other writes still merge.
  const rule = () => ({ name: `Rule ${++counter}`, approvals_required: 0 })
  const ofProject = async () => ({ values: { rule_id: await idOf(`${at}/approval_rules`, rule()) } })
  const ofRequest = async () => ({
    values: { merge_request_rule_id: await idOf(`${at}/merge_requests/${values.merge_request_iid}/approval_rules`, rule()) },
  })
  const pushRules = ['/projects/:id', '/groups/:id', '/admin'].flatMap((path) => {
    const place = path.replace('/projects/:id', at).replace('/groups/:id', `/groups/${group.id}`)
    const remove = () => root.delete(`${place}/push_rule`)
    const had = async () => {
      await root.post(`${place}/push_rule`, {})
      return { after: remove }
    }
    const none = async () => {
      await remove()
      return { after: remove }
    }
    return [
      [`POST ${path}/push_rule`, none],
      [`PUT ${path}/push_rule`, had],
      [`DELETE ${path}/push_rule`, had],
    ] as const
  })
  return {
    ...Object.fromEntries(pushRules),
    'POST /projects/:id/approval_rules': () => ({ body: rule() }),
    'PUT /projects/:id/approval_rules/:rule_id': async () => ({ ...(await ofProject()), body: rule() }),
    'DELETE /projects/:id/approval_rules/:rule_id': ofProject,
    [`POST ${request}/approval_rules`]: () => ({ body: rule() }),
    [`PUT ${request}/approval_rules/:rule_id`]: async () => ({ ...(await ofRequest()), body: rule() }),
    [`DELETE ${request}/approval_rules/:rule_id`]: ofRequest,
  }
}
