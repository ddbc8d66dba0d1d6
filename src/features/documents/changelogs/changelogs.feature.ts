/** Endpoints of changelogs, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { changelogs } from './changelogs.endpoints.ts'

export const changelogsFeature = feature({ endpoints: section('Tags and releases', changelogs) })
