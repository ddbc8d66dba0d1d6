/** All pages of pipelines. */
import type { Page } from '../../frame/declaration.ts'
import { pipelineListPages } from './list.pages.ts'
import { newPipelinePages } from './new.pages.ts'
import { onePipelinePages } from './pipeline.pages.ts'
import { testReportPages } from './tests.pages.ts'

export const pipelinePages: Page[] = [...pipelineListPages, ...newPipelinePages, ...onePipelinePages, ...testReportPages]
