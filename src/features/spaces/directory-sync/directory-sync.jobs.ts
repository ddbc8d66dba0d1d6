/** Background work: applies changes of the LDAP directory. */
import { type AnyJob, job } from '../../../queue/queue.ts'
import { syncDirectory } from './directory-sync.service.ts'

export const syncDirectoryJob = job<object>('directory.sync', {
  every_ms: 3_600_000,
  at_start: true,
  lane: 'remote',
  key: () => 'directory',
  handle: (app, _, stopping) => syncDirectory(app, stopping),
})

export const directoryJobs: AnyJob[] = [syncDirectoryJob]
