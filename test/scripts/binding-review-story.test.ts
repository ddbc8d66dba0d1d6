/** Review that binds, as a team meets it: what git and pages refuse, who must approve what, what is merged, and who may deploy it. */
import { expect, test } from 'vitest'
import { runJob } from '../support/fixtures/ci-runs.ts'
import { type Forge, type TestUser, testForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { hasSsh, keyOf, sshHost, withKey } from '../support/ssh.ts'
import { clone, commit } from './git/wire.ts'

type Body = Record<string, unknown>

function acting(forge: Forge) {
  return async function did<T = Body>(user: TestUser, method: 'get' | 'post' | 'put', path: string, body?: Body): Promise<T> {
    const client = forge.as(user)
    const answer = await (method === 'get' ? client.get(path) : client[method](path, body))
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body as T
  }
}

interface Shown {
  id: number
  iid: number
  sha: string
  state: string
  detailed_merge_status: string
  head_pipeline: { id: number; ref: string } | null
}

const key = `AK${'IA'}QWERTYUIOPASDFGH`
const config = `
test: {script: [x], rules: [{if: '$CI_MERGE_REQUEST_IID'}]}
deploy: {script: [x], environment: production, rules: [{if: '$CI_COMMIT_BRANCH == "main"'}]}
`

test('a secret stays out, owners and a rule are asked, a push asks the owner again, and the result of merging is what was tested', {
  ...inFullRun('2 s of processor. Each of its steps is tested beside its feature.'),
  timeout: 120_000,
}, async () => {
  const forge = await testForge()
  const did = acting(forge)
  const [maintainer, author, ada, grace] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const files = { CODEOWNERS: `/engine/ @${ada.username}\n*.md @${grace.username}\n`, '.gitlab-ci.yml': config, 'README.md': '# Engine\n' }
  const project = await forge.project({ maintainer, commits: [{ message: 'First', files }] })
  const at = (path: string) => `/projects/${project.id}${path}`
  for (const user of [author, ada, grace]) await did(maintainer, 'post', at('/members'), { user_id: user.id, access_level: 30 })
  await forge.as(maintainer).patch(at('/protected_branches/main'), { code_owner_approval_required: true })
  await did(maintainer, 'post', at('/push_rule'), { prevent_secrets: true })
  await did(maintainer, 'post', at('/approval_rules'), { name: 'All Members', rule_type: 'any_approver', approvals_required: 2 })
  await did(maintainer, 'post', at('/approvals'), { reset_approvals_on_push: false, selective_code_owner_removals: true })
  await did(maintainer, 'put', at(''), { merge_pipelines_enabled: true, only_allow_merge_if_pipeline_succeeds: true })
  await forge.drain()

  // A secret that is broken over two lines, over HTTP and over SSH: neither leaves a branch behind.
  const work = await clone(await forge.remote(project, author))
  await git(work, 'switch', '--quiet', '--create', 'pump')
  await commit(work, { 'engine/key.py': `key = ("${key.slice(0, 2)}" +\n       "${key.slice(2)}")\n` }, 'Add a key')
  const refusal = /AWS access key in engine\/key\.py:1/
  await expect(git(work, 'push', '--quiet', 'origin', 'pump')).rejects.toThrow(refusal)
  if (hasSsh) {
    const host = await sshHost({}, forge)
    const pushing = git(work, ...withKey(await keyOf(author)), 'push', '--quiet', host.remote(project), 'pump')
    await expect(pushing).rejects.toThrow(refusal)
  }
  expect((await forge.as(author).get(at('/repository/branches/pump'))).status).toBe(404)

  // Without the secret it is proposed. It needs the owner of the engine and two approvals, and owners are suggested.
  await git(work, 'reset', '--quiet', '--hard', 'origin/main')
  await commit(work, { 'engine/pump.txt': 'pump\n' }, 'Add a pump')
  await git(work, 'push', '--quiet', 'origin', 'pump')
  await expect(git(work, 'push', '--quiet', 'origin', 'pump:main')).rejects.toThrow()
  const made = await did<Shown>(author, 'post', at('/merge_requests'), { source_branch: 'pump', target_branch: 'main', title: 'Pump' })
  const it = at(`/merge_requests/${made.iid}`)
  await forge.drain()
  const shown = () => did<Shown>(ada, 'get', it)
  const rules = async () =>
    (await did<{ rules: Array<{ name: string; approved: boolean }> }>(ada, 'get', `${it}/approval_state`)).rules.map(
      ({ name, approved }) => `${name} ${approved}`,
    )
  expect([(await shown()).detailed_merge_status, await rules()]).toEqual(['not_approved', ['All Members false', '/engine/ false']])
  await did(grace, 'post', `${it}/notes`, { body: 'Fine by me.\n/approve' })
  await did(ada, 'post', `${it}/approve`, { sha: made.sha })
  expect(await rules()).toEqual(['All Members true', '/engine/ true'])

  // A push to what Ada owns takes her approval away, and not that of Grace.
  await commit(work, { 'engine/pump.txt': 'better pump\n' }, 'Improve it')
  await git(work, 'push', '--quiet', 'origin', 'pump')
  await forge.drain()
  expect(await rules()).toEqual(['All Members false', '/engine/ false'])
  await did(ada, 'post', `${it}/approve`)
  expect(await rules()).toEqual(['All Members true', '/engine/ true'])

  // Its pipeline builds the result of merging; it is merged by itself once that has succeeded.
  const { head_pipeline } = await shown()
  expect(head_pipeline?.ref).toBe(`refs/merge-requests/${made.iid}/merge`)
  await did(maintainer, 'put', `${it}/merge`, { merge_when_pipeline_succeeds: true })
  await runJob(forge, head_pipeline?.id ?? 0, 'test', 'success')
  await forge.drain()
  expect((await shown()).state).toBe('merged')
})

test('what is merged waits for its deployment: operators of the group above approve it, maintainers of the project do not', {
  ...inFullRun('1 s of processor. Each of its steps is tested beside its feature.'),
  timeout: 120_000,
}, async () => {
  const forge = await testForge()
  const did = acting(forge)
  const [maintainer, operator, second] = [await forge.user(), await forge.user(), await forge.user()]
  const group = await forge.group()
  const files = { '.gitlab-ci.yml': config }
  const project = await forge.project({ maintainer, group, commits: [{ message: 'First', files }] })
  const at = (path: string) => `/projects/${project.id}${path}`
  for (const user of [operator, second])
    await did(forge.root, 'post', `/groups/${group.id}/members`, { user_id: user.id, access_level: 40 })
  await forge.drain()
  const guard = { name: 'production', deploy_access_levels: [{ access_level: 40 }], required_approval_count: 1 }
  await did(operator, 'post', `/groups/${group.id}/protected_environments`, guard)

  const failed = await did<Shown>(maintainer, 'post', at('/pipeline'), { ref: 'main' })
  await forge.drain()
  const statusOf = async ({ id }: { id: number }) => (await did<{ status: string }>(operator, 'get', at(`/pipelines/${id}`))).status
  expect(await statusOf(failed)).toBe('failed')
  const pipeline = await did<Shown>(operator, 'post', at('/pipeline'), { ref: 'main' })
  await forge.drain()
  const [waiting] = await did<Array<{ id: number; status: string }>>(operator, 'get', at('/deployments?environment=production&sort=desc'))
  expect(waiting?.status).toBe('blocked')
  const approve = (user: TestUser) => forge.as(user).post(at(`/deployments/${waiting?.id}/approval`), { status: 'approved' })
  expect([(await approve(maintainer)).status, (await approve(operator)).status, (await approve(second)).status]).toEqual([403, 400, 201])
  await runJob(forge, pipeline.id, 'deploy', 'success')
  expect(await statusOf(pipeline)).toBe('success')
})
