/** Endpoints of releases, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { releases } from './releases.endpoints.ts'

export const releasesFeature = feature({ endpoints: section('Tags and releases', releases) })
