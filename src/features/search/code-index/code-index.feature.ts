/** Jobs of code index, for the table of contents. */
import { feature } from '../../feature.ts'
import { codeIndexJobs } from './code-index.jobs.ts'

export const codeIndexFeature = feature({ jobs: codeIndexJobs })
