/** Mail about pipelines that have ended: to whoever started them, as far as they want it and may see it. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { type MailServer, mailServer, type Received } from '../../../../test/support/mail-server.ts'
import type { NotificationLevel } from '../../../db/tables.ts'
import { isPipelineWanted, type PipelineEnding } from './wanted.ts'

let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer()
  forge = await openForge({ config: { mail: server.config } })
})
beforeEach(() => void server.received.splice(0))

const sets = (user: TestUser, project: TestProject, body: object) =>
  forge.as(user).put(`/projects/${project.id}/notification_settings`, body)

/** A project with a commit for each pipeline. */
async function cast() {
  const developer = await forge.user()
  const commits = [1, 2, 3, 4].map((number) => ({ message: `Commit ${number}`, files: { file: `${number}` } }))
  const project = await forge.project({ developer, visibility: 'private', commits })
  const oids = (await git(project.dir, 'rev-list', '--reverse', 'main')).trim().split('\n')
  const ends = async (index: number, state: 'failed' | 'success', name = 'unit <tests>') => {
    await forge.as(developer).post(`/projects/${project.id}/statuses/${oids[index]}`, { state, name, ref: 'main' })
  }
  return { developer, project, oids, ends }
}
async function told(): Promise<Received[]> {
  await forge.drain()
  return server.received.splice(0)
}

test('who started it hears that it failed, with the jobs that did, and that the next one fixed it, and no more', async () => {
  const { developer, project, oids, ends } = await cast()
  await ends(0, 'failed')
  const [failed, ...more] = await told()
  expect([failed?.to, more]).toEqual([developer.email, []])
  expect(failed?.mail.subject).toMatch(new RegExp(`^${project.name} \\| Pipeline #\\d+ has failed for main \\| ${oids[0]?.slice(0, 8)}$`))
  expect(failed?.mail.text).toContain('* external: unit <tests>')
  expect(String(failed?.mail.html)).toContain('unit &lt;tests&gt;')
  expect(failed?.mail.headers.get('x-gitlab-pipeline-status')).toBe('failed')
  await ends(1, 'success')
  expect((await told()).map(({ mail }) => mail.subject)).toEqual([expect.stringContaining('has been fixed for main')])
  await ends(2, 'success')
  expect(await told()).toEqual([])
})

test('levels and switches decide, and nobody hears of a project that they have left', async () => {
  const { developer, project, ends } = await cast()
  await sets(developer, project, { level: 'custom', success_pipeline: true })
  await ends(0, 'success')
  expect((await told()).map(({ mail }) => mail.subject)).toEqual([expect.stringContaining('has succeeded')])
  await sets(developer, project, { level: 'mention' })
  await ends(1, 'failed')
  expect(await told()).toEqual([])
  await sets(developer, project, { level: 'watch' })
  await ends(2, 'failed')
  await forge.as(forge.root).delete(`/projects/${project.id}/members/${developer.id}`)
  expect(await told()).toEqual([])
})

/** Rows are levels, columns how it ended: `c` where the switch for it is on. */
const table: Record<NotificationLevel, string> = {
  disabled: 'n n n',
  global: 'n n n',
  mention: 'n n n',
  participating: 'y y n',
  watch: 'y y n',
  custom: 'f b s',
}

test('each level hears of each ending what the table says, with every choice of switches', () => {
  const endings: PipelineEnding[] = ['failed', 'fixed', 'success']
  for (const [level, row] of Object.entries(table) as [NotificationLevel, string][])
    for (const [index, ending] of endings.entries())
      for (const failed_pipeline of [true, false, undefined])
        for (const success_pipeline of [true, false, undefined]) {
          const switches = {
            ...(failed_pipeline !== undefined && { failed_pipeline }),
            ...(success_pipeline !== undefined && { success_pipeline }),
          }
          // Unset switches mean: mail for failures, none for successes.
          const [f, s] = [failed_pipeline ?? true, success_pipeline ?? false]
          const expected = { y: true, n: false, f, s, b: f || s }[row.split(' ')[index] as 'y' | 'n' | 'f' | 's' | 'b']
          expect([level, ending, switches, isPipelineWanted({ level, switches }, ending)]).toEqual([level, ending, switches, expected])
        }
})
