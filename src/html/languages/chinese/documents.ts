/** Chinese: pages of snippets. */
import type { documents as german } from '../german/documents.ts'

export const documents: Record<keyof typeof german, string> = {
  ' and {0}': ' 及{0}',
  '<a>{0}</a> by {1}': '<a>{0}</a>，作者：{1}',
  'A file without name and content is removed.': '没有名称和内容的文件会被移除。',
  'Add another file': '添加另一个文件',
  'Content{0}': '内容{0}',
  'Create snippet': '创建代码片段',
  'Created {0} by {1}': '由 {1} 于 {0}创建',
  'Delete snippet': '删除代码片段',
  'Delete this snippet': '删除此代码片段',
  'Edit snippet': '编辑代码片段',
  Embed: '嵌入',
  'Explore snippets': '探索代码片段',
  'File name{0}': '文件名{0}',
  'It has invisible characters that change the order in which text is shown.': '其中包含会改变文本显示顺序的不可见字符。',
  'Its files and comments go with it. This can’t be undone.': '其文件和评论会一并删除。此操作无法撤销。',
  'Only you can see it; in a project, its members.': '只有你能看到；在项目中则为项目成员。',
  'Put this into a page of another site to show the snippet there.': '将此代码放入其他网站的页面，即可在那里显示该代码片段。',
  Script: '脚本',
  'Snippet {0} created': '已创建代码片段 {0}',
  'Snippet {0} deleted': '已删除代码片段 {0}',
  'Snippet {0} saved': '已保存代码片段 {0}',
  'There are no snippets that everybody may see yet.': '还没有所有人可见的代码片段。',
  'There are no snippets yet. A snippet is a short text or piece of code to share.':
    '还没有代码片段。代码片段是用于分享的短文本或一段代码。',
  'Your snippets': '你的代码片段',
  'updated {0}': '更新于 {0}',
  '{0} New snippet': '{0} 新建代码片段',
  '{0}{1} · by <a>{2}</a>{3}': '{0}{1} · 由 <a>{2}</a> 创建{3}',
}
