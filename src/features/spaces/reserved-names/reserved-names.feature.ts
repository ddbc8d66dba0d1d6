/** Jobs of reserved names, for the table of contents. */
import { feature } from '../../feature.ts'
import { reservedNameJobs } from './reserved-names.jobs.ts'

export const reservedNamesFeature = feature({ jobs: reservedNameJobs })
