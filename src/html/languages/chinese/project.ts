/** Chinese: what frames the pages of a project. */
import type { project as german } from '../german/project.ts'

export const project: Record<keyof typeof german, string> = {
  'CI/CD': 'CI/CD',
  'Create a merge request': '创建合并请求',
  Editor: '编辑器',
  'Only the beginning is shown.': '仅显示开头部分。',
  'Pages of {0}': '{0} 的页面',
  'You pushed to <code>{0}</code> {1}.': '你于 {1}推送到 <code>{0}</code>。',
  canceled: '已取消',
  canceling: '正在取消',
  created: '已创建',
  delayed: '已延迟',
  manual: '手动',
  passed: '通过',
  'passed with warnings': '通过但有警告',
  pending: '等待中',
  preparing: '准备中',
  skipped: '已跳过',
  'waiting for resource': '等待资源',
}
