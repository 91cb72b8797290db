import { body, event } from '../delivery.js'
import { change, type Fault } from './fault.js'
import { pretty, sorted, text } from './json.js'

const php = text.replaceAll('/', '\\/').replaceAll('ë', '\\u00eb')
const go = text.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
const dotnet = text.replaceAll('<', '\\u003C').replaceAll('>', '\\u003E').replaceAll('ë', '\\u00EB')

export const bodyFaults: readonly Fault[] = [
  ['minified JSON, pretty-printed by two', change(text, pretty), ['body_reformatted']],
  ['JSON indented by two, minified', change(pretty, text), ['body_reformatted']],
  [
    'JSON indented by four, minified',
    change(JSON.stringify(event, undefined, 4), text),
    ['body_reformatted'],
  ],
  [
    'JSON indented by tabs, minified',
    change(JSON.stringify(event, undefined, '\t'), text),
    ['body_reformatted'],
  ],
  [
    'JSON of Python, minified',
    change(text.replaceAll('":', '": ').replaceAll(',"', ', "'), text),
    ['body_reformatted'],
  ],
  ['keys that a map in Go sorted', change(text, sorted), ['body_keys_reordered']],
  ['sorted keys, put in order', change(sorted, text), ['body_keys_reordered']],
  ['escapes of PHP, taken away', change(php, text), ['body_escapes_changed']],
  ['escapes of Go, taken away', change(go, text), ['body_escapes_changed']],
  ['escapes of .NET, taken away', change(dotnet, text), ['body_escapes_changed']],
  ['escaped slashes, taken away', change(text.replaceAll('/', '\\/'), text), ['body_escapes_changed']],
  ['plain characters, escaped', change(text, text.replaceAll('ë', '\\u00eb')), ['body_escapes_changed']],
  ['cents that JavaScript dropped', change(text.replace('10.5', '10.50'), text), ['body_numbers_rewritten']],
  [
    'a number that was rewritten by Java',
    change(text, text.replace('10.5', '1.05E1')),
    ['body_numbers_rewritten'],
  ],
  [
    'whole numbers that lost .0',
    change('{"id":"evt_1","n":10.0}', '{"id":"evt_1","n":10}'),
    ['body_numbers_rewritten'],
  ],
  [
    'a key that is given twice',
    change('{"id":"evt_1","n":2}', '{"id":"evt_1","n":1,"n":2}'),
    ['body_reserialized'],
  ],
  ['a line break that an editor added', change(text, `${text}\n`), ['body_line_break_added']],
  ['a line break of Windows that an editor added', change(text, `${text}\r\n`), ['body_line_break_added']],
  ['a line break that a shell removed', change(`${text}\n`, text), ['body_line_break_removed']],
  ['spaces that were put around the body', change('x', ' \t x '), ['body_white_space_added']],
  ['LF that became CRLF', change(pretty, pretty.replaceAll('\n', '\r\n')), ['body_line_endings']],
  ['CRLF that became LF', change('a\r\nb', 'a\nb'), ['body_line_endings']],
  ['a byte order mark that was added', change(text, `\ufeff${text}`), ['body_bom_added']],
  ['a byte order mark that was removed', change(`\ufeff${text}`, text), ['body_bom_removed']],
  [
    'UTF-8 that was read as latin1 and written as UTF-8',
    change(body, Buffer.from(body.toString('latin1'))),
    ['body_latin1'],
  ],
  ['UTF-8 that was written as latin1', change(body, Buffer.from(text, 'latin1')), ['body_latin1']],
  ['latin1 that was written as UTF-8', change(Buffer.from(text, 'latin1'), body), ['body_latin1']],
]
