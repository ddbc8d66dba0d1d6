/** Endpoints and jobs of archives of groups, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { groupArchives } from './group-archives.endpoints.ts'
import { groupArchiveJobs } from './group-archives.jobs.ts'

export const groupArchivesFeature = feature({ endpoints: section('Export and import', groupArchives), jobs: groupArchiveJobs })
