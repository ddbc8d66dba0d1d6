/** Jobs of sessions, for the table of contents. */
import { feature } from '../../feature.ts'
import { sessionJobs } from './sessions.jobs.ts'

export const sessionsFeature = feature({ jobs: sessionJobs })
