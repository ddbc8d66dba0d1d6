/** Endpoints of version, for the table of contents. */
import { section } from '../../http/declare/endpoint.ts'
import { feature } from '../feature.ts'
import { version } from './version.endpoints.ts'

export const versionFeature = feature({ endpoints: section('Version', version) })
