/** Jobs of object storage, for the table of contents. */
import { feature } from '../../feature.ts'
import { removeObjectsJob } from './object-storage.jobs.ts'

export const objectStorageFeature = feature({ jobs: [removeObjectsJob] })
