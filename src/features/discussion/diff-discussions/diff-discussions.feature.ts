/** Jobs of diff discussions, for the table of contents. */
import { feature } from '../../feature.ts'
import { traceNotesJob } from './diff-discussions.jobs.ts'

export const diffDiscussionsFeature = feature({ jobs: [traceNotesJob] })
