/** Endpoints and jobs of archive imports, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { archiveImports } from './archive-imports.endpoints.ts'
import { archiveImportJobs } from './archive-imports.jobs.ts'

export const archiveImportsFeature = feature({ endpoints: section('Export and import', archiveImports), jobs: archiveImportJobs })
