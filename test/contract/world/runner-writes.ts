/** Prepares writes of runners, so that they succeed. */
import { registrationToken } from '../../../src/features/ci/runners/runners.ts'
import { runnerOf } from '../../support/fixtures/runners.ts'
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared, Write } from './writes.ts'

export function runnerWrites({ forge, project }: ContractFixtures): Prepared {
  // An instance runner, as the project may have been deleted by then.
  const fresh = async (): Promise<Write> => ({ values: { runner_id: String((await runnerOf(forge, null)).id) } })
  const byToken = async (): Promise<Write> => ({ body: { token: (await runnerOf(forge, null)).token } })
  const elsewhere = async () => runnerOf(forge, await forge.project())
  return {
    'PUT /runners/:id': () => ({ body: { description: 'Another' } }),
    'DELETE /runners/:id': fresh,
    'POST /runners/:id/reset_authentication_token': fresh,
    'POST /projects/:id/runners': async () => ({ body: { runner_id: (await elsewhere()).id } }),
    'DELETE /projects/:id/runners/:runner_id': async () => {
      const { id } = await elsewhere()
      await forge.as(forge.root).post(`/projects/${project.id}/runners`, { runner_id: id })
      return { values: { second_runner_id: String(id) } }
    },
    'POST /projects/:id/runners/reset_registration_token': async () => {
      const { db } = forge.app
      const stored = await db
        .selectFrom('projects')
        .select(['runners_token', 'runners_token_digest'])
        .where('id', '=', project.id)
        .executeTakeFirstOrThrow()
      // The fixtures register runners with it.
      const after = () => db.updateTable('projects').set(stored).where('id', '=', project.id).execute()
      return { after }
    },
    'POST /runners': async () => ({ body: { token: await registrationToken(forge.app, { kind: 'instance' }) } }),
    'DELETE /runners': byToken,
    'POST /runners/verify': byToken,
    'POST /runners/reset_authentication_token': byToken,
    'DELETE /runners/managers': async () => {
      const { token } = await runnerOf(forge, null)
      await forge.anonymous.post('/runners/verify', { token, system_id: 's_1' })
      return { body: { token, system_id: 's_1' } }
    },
  }
}
