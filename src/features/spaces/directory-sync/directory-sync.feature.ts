/** Jobs of the directory, for the table of contents. */
import { feature } from '../../feature.ts'
import { directoryJobs } from './directory-sync.jobs.ts'

export const directorySyncFeature = feature({ jobs: directoryJobs })
