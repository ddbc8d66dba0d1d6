/** Mail about deployments that wait for approvals: to those who may give them, and to whoever deploys. */
import { expect, test } from 'vitest'
import { openForge, type TestUser } from '../../../../test/support/forge.ts'
import { mailServer } from '../../../../test/support/mail-server.ts'

const file = 'deploy: {script: [x], environment: production}\nlater: {script: [x], when: manual, environment: staging}\n'

test('approvers get one mail about a deployment, its deployer one about each decision, and nobody one about hidden things', async () => {
  const server = await mailServer()
  const forge = await openForge({ config: { mail: server.config } })
  const people = await Promise.all(Array.from({ length: 6 }, () => forge.user()))
  const [deployer, named, member, muted, outside, reporter] = people as [TestUser, TestUser, TestUser, TestUser, TestUser, TestUser]
  const approvers = await forge.group({ owner: outside, visibility: 'public' })
  for (const user of [member, muted])
    await forge.as(forge.root).post(`/groups/${approvers.id}/members`, { user_id: user.id, access_level: 20 })
  // The creator of the group is a member of it, and would get mail as an approver.
  expect((await forge.as(outside).delete(`/groups/${approvers.id}/members/${forge.root.id}`)).status).toBe(204)
  const project = await forge.project({
    maintainer: deployer,
    reporter,
    visibility: 'private',
    commits: [{ files: { '.gitlab-ci.yml': file } }],
  })
  const at = `/projects/${project.id}`
  const root = forge.as(forge.root)
  for (const user of [named, member, muted]) await root.post(`${at}/members`, { user_id: user.id, access_level: 30 })
  await forge.as(muted).put(`${at}/notification_settings`, { level: 'disabled' })
  // The pipeline of its first push has been created.
  await forge.drain()
  const rules = [
    { user_id: named.id, required_approvals: 1 },
    { group_id: approvers.id, required_approvals: 1 },
  ]
  const protection = { name: 'production', deploy_access_levels: [{ access_level: 40 }], approval_rules: rules }
  expect((await root.post(`${at}/protected_environments`, protection)).status).toBe(201)
  const hook = { url: 'http://hook.example/deployments', deployment_events: true }
  expect((await root.post(`${at}/hooks`, hook)).status).toBe(201)
  await forge.drain()
  const told = async () => {
    await forge.drain()
    return server.received.splice(0).map(({ to, mail }) => [to, mail.subject, mail.text ?? ''] as const)
  }
  await told()
  await forge.as(deployer).post(`${at}/pipeline`, { ref: 'main' })
  const asked = await told()
  // No mail for members of the group without access to the project, users who want none, and reporters whom no rule names.
  expect(asked.map(([to]) => to).sort()).toEqual([named.email, member.email].sort())
  expect(asked[0]?.[1]).toMatch(/ \| Approve the deployment to production \(#\d+\)$/)
  expect(asked[0]?.[2]).toContain(`${deployer.name} wants to deploy main`)
  expect(asked[0]?.[2]).toContain('Missing approvals: 2. You may give one.')

  const todosOf = async (user: TestUser) =>
    (await forge.as(user).get('/todos?action=approval_required')).body.map((todo: { target_type: string; author: { id: number } }) => [
      todo.target_type,
      todo.author.id,
    ])
  expect([await todosOf(named), await todosOf(muted), await todosOf(outside)]).toEqual([
    [['Commit', deployer.id]],
    [['Commit', deployer.id]],
    [],
  ])

  const [{ id }] = (await forge.as(deployer).get(`${at}/deployments?environment=production&sort=desc`)).body
  const say = (user: TestUser, body: object) => forge.as(user).post(`${at}/deployments/${id}/approval`, body)
  expect((await say(named, { status: 'approved', comment: 'Looks <good>' })).status).toBe(201)
  const [approved, ...others] = await told()
  expect([approved?.[0], others]).toEqual([deployer.email, []])
  expect(approved?.[1]).toContain('Deployment to production was approved')
  expect(approved?.[2]).toContain('Missing approvals: 1.')
  expect(approved?.[2]).toContain('Looks <good>')
  expect([await todosOf(named), (await todosOf(member)).length]).toEqual([[], 1])
  expect((await say(member, { status: 'rejected' })).status).toBe(201)
  expect([await todosOf(member), await todosOf(muted)]).toEqual([[], []])
  const answers = (await told()).filter(([, subject]) => subject?.includes('Deployment'))
  expect(answers.map(([to, subject]) => [to, subject?.includes('was rejected')])).toEqual([[deployer.email, true]])

  const payloads = await forge.app.db.selectFrom('hook_payloads').select(['body', 'facts']).orderBy('id').execute()
  const decided = payloads.flatMap(({ body, facts }) => JSON.parse(body ?? facts ?? '{}').approval ?? [])
  expect(decided).toMatchObject([{ status: 'approved', comment: 'Looks <good>' }, { status: 'rejected' }])
  const { body: audit } = await root.get(`${at}/audit_events`)
  expect(audit.map(({ event_name }: { event_name: string }) => event_name)).toEqual(
    expect.arrayContaining(['deployment_approved', 'deployment_rejected']),
  )
})
