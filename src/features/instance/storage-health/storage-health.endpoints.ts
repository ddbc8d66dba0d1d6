/** The health of the repository storage, by the name that clients know. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { none, resource } from '../../../http/parameters/schema.ts'
import { removeFailures, type StorageFailures, storageFailures } from './storage-health.queries.ts'

const StorageHealth = resource('StorageHealth', {
  storage_name: Type.String(),
  failing_on_hosts: Type.Array(Type.String()),
  total_failures: Type.Integer({ description: 'Failed checks since the last that succeeded' }),
})

export const storageHealth = [
  endpoint('GET /circuit_breakers/repository_storage', {
    summary: 'Get the health of the repository storage',
    access: administrator(),
    reply: Type.Array(StorageHealth),
    handle: async ({ app }) => [presentHealth(await storageFailures(app.db))],
  }),
  endpoint('GET /circuit_breakers/repository_storage/failing', {
    summary: 'Get the repository storage if it fails',
    access: administrator(),
    reply: Type.Array(StorageHealth),
    async handle({ app }) {
      const failures = await storageFailures(app.db)
      return failures.length > 0 ? [presentHealth(failures)] : []
    },
  }),
  endpoint('DELETE /circuit_breakers/repository_storage', {
    summary: 'Forget the failures of the repository storage',
    access: administrator(),
    reply: none,
    async handle({ app }) {
      await removeFailures(app.db)
      return null
    },
  }),
]

/** There is one storage, however many machines use it. */
function presentHealth(failures: StorageFailures[]) {
  return {
    storage_name: 'default',
    failing_on_hosts: failures.map(({ hostname }) => hostname),
    total_failures: failures.reduce((total, one) => total + one.failures, 0),
  }
}
