/** Chinese: pages of the search. */
import type { search as german } from '../german/search.ts'

export const search: Record<keyof typeof german, string> = {
  ' · closed': ' · 已关闭',
  ' · due {0}': ' · 截止：{0}',
  'All that match: <a>branches</a>, <a2>tags</a2>': '所有匹配项：<a>分支</a>、<a2>标签</a2>',
  "An expression in RE2's syntax, matched against each line, ignoring case. It must have 3 characters in a row that are always there.":
    'RE2 语法的表达式，逐行匹配，不区分大小写。其中必须有至少 3 个连续的固定字符。',
  'Code can be searched within a project. The index over all projects is turned off.': '可以在项目中搜索代码。跨项目的索引已关闭。',
  Everywhere: '全局',
  'Files are found by a text in them or in their path, ignoring case. filename:, path: and extension: narrow the search.':
    '按文件内容或路径中的文本查找文件，不区分大小写。可用 filename:、path: 和 extension: 缩小范围。',
  'Kinds of results': '结果类型',
  'Lines of {0}': '{0} 的行',
  'No file that you may read has this text.': '你可以阅读的文件中没有此文本。',
  'No page of the wiki has this text.': '没有包含此文本的 Wiki 页面。',
  'No snippet that you may read matches.': '你可以阅读的代码片段中没有匹配项。',
  'Only the first results are shown. Refine your search.': '仅显示靠前的结果。请缩小搜索范围。',
  'Regular expression': '正则表达式',
  'Regular expressions are searched for in the default branch only.': '正则表达式仅在默认分支中搜索。',
  'Regular expressions need the index of code, which is turned off.': '正则表达式需要代码索引，而该索引已关闭。',
  'Search for at least 3 characters.': '请至少输入 3 个字符。',
  'Search{0}': '{0}搜索',
  'Several words must all occur; words in quotes stand together. #12 is an issue, !12 a merge request.':
    '输入多个词时须全部出现；引号中的词作为整体。#12 是议题，!12 是合并请求。',
  'Sign in to find users.': '登录后即可查找用户。',
  'Snippet contents': '代码片段内容',
  'The index has not read the last push to {0}.': '索引尚未收录对 {0} 的最近一次推送。',
  'This repository is empty, or you can’t read its code.': '此仓库为空，或你无法阅读其代码。',
  '{0} merge request|{0} merge requests': '{0} 个合并请求',
  '{0} place|{0} places': '{0} 处',
  '{0} ref|{0} refs': '{0} 个引用',
  '{0} · Search': '{0} · 搜索',
}
