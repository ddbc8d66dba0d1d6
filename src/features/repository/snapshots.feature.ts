/** Endpoints of snapshots, for the table of contents. */
import { section } from '../../http/declare/endpoint.ts'
import { feature } from '../feature.ts'
import { snapshots } from './snapshots.endpoints.ts'

export const snapshotsFeature = feature({ endpoints: section('Export and import', snapshots) })
