/** Endpoints of tags, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { tags } from './tags.endpoints.ts'

export const tagsFeature = feature({ endpoints: section('Tags and releases', tags) })
