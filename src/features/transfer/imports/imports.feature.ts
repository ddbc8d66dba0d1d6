/** Jobs of imports, for the table of contents. */
import { feature } from '../../feature.ts'
import { importJobs } from './imports.jobs.ts'

export const importsFeature = feature({ jobs: importJobs })
