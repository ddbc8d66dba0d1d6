/** Endpoints and jobs of the directory, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { directoryJobs } from './directory-sync.jobs.ts'
import { directoryLinks } from './group-links.endpoints.ts'

export const directorySyncFeature = feature({ endpoints: section('Groups', directoryLinks), jobs: directoryJobs })
