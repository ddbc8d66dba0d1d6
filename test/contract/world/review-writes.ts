/** Prepares writes of approval rules and push rules, so that they succeed. */
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
  const ofGroup = async () => ({ values: { approval_rule_id: await idOf(`/groups/${group.id}/approval_rules`, rule()) } })
  const ofRequest = async () => ({
    values: { merge_request_rule_id: await idOf(`${at}/merge_requests/${values.merge_request_iid}/approval_rules`, rule()) },
  })
  const pushRules = ['/projects/:id', '/groups/:id', '/admin'].flatMap((path) => {
    const place = path.replace('/projects/:id', at).replace('/groups/:id', `/groups/${group.id}`)
    const had = async () => {
      await root.post(`${place}/push_rule`, {})
      return { after: () => root.post(`${place}/push_rule`, {}) }
    }
    const none = async () => {
      await root.delete(`${place}/push_rule`)
      return {}
    }
    return [
      [`POST ${path}/push_rule`, none],
      [`PUT ${path}/push_rule`, had],
      [`DELETE ${path}/push_rule`, had],
    ] as const
  })
  const blocked = async () => {
    const source_branch = `before-${++counter}`
    await root.post(`${at}/repository/branches`, { branch: source_branch, ref: 'main' })
    const other = await forge.mergeRequest(project, forge.root, { source_branch })
    const iid = values.merge_request_iid
    const request = (await root.get(`${at}/merge_requests/${iid}`)).body
    return { other, request: { values: { merge_request_iid: String(other.iid) } }, body: { blocking_merge_request_id: request.id } }
  }
  const block = async () => {
    const { other, request, body } = await blocked()
    const block_id = await idOf(`${at}/merge_requests/${other.iid}/blocks`, body)
    return { values: { ...request.values, block_id } }
  }
  const check = () => ({ name: `Check ${++counter}`, external_url: 'http://hook.example/check' })
  const checked = async () => ({ values: { check_id: await idOf(`${at}/external_status_checks`, check()) } })
  const answered = async (status: string) => {
    const { sha } = (await root.get(`${at}/merge_requests/${values.merge_request_iid}`)).body
    return { external_status_check_id: Number(values.external_status_check_id), sha, status }
  }
  const failed = async () => {
    await root.post(`${at}/merge_requests/${values.merge_request_iid}/status_check_responses`, await answered('failed'))
    return {}
  }
  return {
    'POST /projects/:id/external_status_checks': () => ({ body: check() }),
    'PUT /projects/:id/external_status_checks/:check_id': async () => ({ ...(await checked()), body: check() }),
    'DELETE /projects/:id/external_status_checks/:check_id': checked,
    [`POST ${request}/status_check_responses`]: async () => ({ body: await answered('passed') }),
    [`POST ${request}/status_checks/:external_status_check_id/retry`]: failed,
    [`POST ${request}/blocks`]: async () => {
      const { request, body } = await blocked()
      return { ...request, body }
    },
    [`DELETE ${request}/blocks/:block_id`]: block,
    [`POST ${request}/context_commits`]: () => ({ body: { commits: [values.sha] } }),
    [`DELETE ${request}/context_commits`]: () => ({ body: { commits: [values.sha] } }),
    ...Object.fromEntries(pushRules),
    'POST /projects/:id/approval_rules': () => ({ body: rule() }),
    'PUT /projects/:id/approval_rules/:rule_id': async () => ({ ...(await ofProject()), body: rule() }),
    'DELETE /projects/:id/approval_rules/:rule_id': ofProject,
    'POST /groups/:id/approval_rules': () => ({ body: rule() }),
    'PUT /groups/:id/approval_rules/:approval_rule_id': async () => ({ ...(await ofGroup()), body: rule() }),
    'DELETE /groups/:id/approval_rules/:approval_rule_id': ofGroup,
    [`POST ${request}/approval_rules`]: () => ({ body: rule() }),
    [`PUT ${request}/approval_rules/:rule_id`]: async () => ({ ...(await ofRequest()), body: rule() }),
    [`DELETE ${request}/approval_rules/:rule_id`]: ofRequest,
  }
}
