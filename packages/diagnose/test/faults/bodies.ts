import { body, event } from '../delivery.js'
import { change, type Fault } from './fault.js'
import { pretty, sorted, text } from './json.js'

const php = text.replaceAll('/', '\\/').replaceAll('ë', '\\u00eb')
const go = text.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
const dotnet = text.replaceAll('<', '\\u003C').replaceAll('>', '\\u003E').replaceAll('ë', '\\u00EB')

export const bodyFaults: readonly Fault[] = [
  [
    'minified JSON, pretty-printed by two',
    change(text, pretty),
    {
      body_reformatted:
        'The signed JSON is minified. First difference at byte 1; 284 bytes given, 224 signed.',
    },
  ],
  [
    'JSON indented by two, minified',
    change(pretty, text),
    {
      body_reformatted:
        'The signed JSON is indented by two spaces. First difference at byte 1; 224 bytes given, 284 signed.',
    },
  ],
  [
    'JSON indented by four, minified',
    change(JSON.stringify(event, undefined, 4), text),
    {
      body_reformatted:
        'The signed JSON is indented by four spaces. First difference at byte 1; 224 bytes given, 320 signed.',
    },
  ],
  [
    'JSON indented by tabs, minified',
    change(JSON.stringify(event, undefined, '\t'), text),
    {
      body_reformatted:
        'The signed JSON is indented by tabs. First difference at byte 1; 224 bytes given, 266 signed.',
    },
  ],
  [
    'JSON of Python, minified',
    change(text.replaceAll('":', '": ').replaceAll(',"', ', "'), text),
    {
      body_reformatted:
        'The signed JSON is on one line with a space after each colon and comma. First difference at byte 6; 224 bytes given, 244 signed.',
    },
  ],
  [
    'keys that a map in Go sorted',
    change(text, sorted),
    {
      body_keys_reordered:
        'The signed keys are in the order of the service interface. First difference at byte 2; 224 bytes given, 224 signed.',
    },
  ],
  [
    'sorted keys, put in order',
    change(sorted, text),
    {
      body_keys_reordered:
        'The signed keys are sorted by name. First difference at byte 2; 224 bytes given, 224 signed.',
    },
  ],
  [
    'escapes of PHP, taken away',
    change(php, text),
    {
      body_escapes_changed:
        'The signed strings are with \\u escapes for all but ASCII and slashes written as \\/. First difference at byte 157; 224 bytes given, 229 signed.',
    },
  ],
  [
    'escapes of Go, taken away',
    change(go, text),
    {
      body_escapes_changed:
        'The signed strings are with \\u escapes for <, > and &. First difference at byte 218; 224 bytes given, 234 signed.',
    },
  ],
  [
    'escapes of .NET, taken away',
    change(dotnet, text),
    {
      body_escapes_changed:
        'The signed strings are with the \\u escapes of System.Text.Json. First difference at byte 215; 224 bytes given, 238 signed.',
    },
  ],
  [
    'escaped slashes, taken away',
    change(text.replaceAll('/', '\\/'), text),
    {
      body_escapes_changed:
        'The signed strings are with slashes written as \\/. First difference at byte 157; 224 bytes given, 225 signed.',
    },
  ],
  [
    'plain characters, escaped',
    change(text, text.replaceAll('ë', '\\u00eb')),
    {
      body_escapes_changed:
        'The signed strings are without escapes that JSON does not need. First difference at byte 215; 228 bytes given, 224 signed.',
    },
  ],
  [
    'cents that JavaScript dropped',
    change(text.replace('10.5', '10.50'), text),
    {
      body_numbers_rewritten:
        'The signed numbers are with two digits after the point where they have any. First difference at byte 203; 224 bytes given, 225 signed.',
    },
  ],
  [
    'a number that was rewritten by Java',
    change(text, text.replace('10.5', '1.05E1')),
    {
      body_numbers_rewritten:
        'The signed numbers are as JavaScript writes them. First difference at byte 200; 226 bytes given, 224 signed.',
    },
  ],
  [
    'whole numbers that lost .0',
    change('{"id":"evt_1","n":10.0}', '{"id":"evt_1","n":10}'),
    {
      body_numbers_rewritten:
        'The signed numbers are with .0 where they are whole. First difference at byte 20; 21 bytes given, 23 signed.',
    },
  ],
  [
    'a key that is given twice',
    change('{"id":"evt_1","n":2}', '{"id":"evt_1","n":1,"n":2}'),
    {
      body_reserialized:
        'The signed JSON is minified. First difference at byte 18; 26 bytes given, 20 signed.',
    },
  ],
  [
    'a line break that an editor added',
    change(text, `${text}\n`),
    {
      body_line_break_added:
        'The given body ends with \\n, the signed one does not. First difference at byte 224; 225 bytes given, 224 signed.',
    },
  ],
  [
    'a line break of Windows that an editor added',
    change(text, `${text}\r\n`),
    {
      body_line_break_added:
        'The given body ends with \\r\\n, the signed one does not. First difference at byte 224; 226 bytes given, 224 signed.',
    },
  ],
  [
    'a line break that a shell removed',
    change(`${text}\n`, text),
    {
      body_line_break_removed:
        'The signed body ends with \\n. First difference at byte 224; 224 bytes given, 225 signed.',
    },
  ],
  [
    'spaces that were put around the body',
    change('x', ' \t x '),
    {
      body_white_space_added:
        'The signed body is that without 3 bytes before it and 1 after it. First difference at byte 0; 5 bytes given, 1 signed.',
    },
  ],
  [
    'LF that became CRLF',
    change(pretty, pretty.replaceAll('\n', '\r\n')),
    {
      body_line_endings:
        'The lines of the signed body end with \\n. First difference at byte 1; 297 bytes given, 284 signed.',
    },
  ],
  [
    'CRLF that became LF',
    change('a\r\nb', 'a\nb'),
    {
      body_line_endings:
        'The lines of the signed body end with \\r\\n. First difference at byte 1; 3 bytes given, 4 signed.',
    },
  ],
  [
    'a byte order mark that was added',
    change(text, `\ufeff${text}`),
    {
      body_bom_added:
        'The given body begins with EF BB BF. First difference at byte 0; 227 bytes given, 224 signed.',
    },
  ],
  [
    'a byte order mark that was removed',
    change(`\ufeff${text}`, text),
    {
      body_bom_removed:
        'The signed body begins with EF BB BF. First difference at byte 0; 224 bytes given, 227 signed.',
    },
  ],
  [
    'a byte order mark that was removed before a character that begins like it',
    change('\ufeff！', '！'),
    {
      body_bom_removed:
        'The signed body begins with EF BB BF. First difference at byte 1; 3 bytes given, 6 signed.',
    },
  ],
  [
    'UTF-8 that was read as latin1 and written as UTF-8',
    change(body, Buffer.from(body.toString('latin1'))),
    {
      body_latin1:
        'The signed body is the given one, read as UTF-8 and written as latin1. First difference at byte 216; 226 bytes given, 224 signed.',
    },
  ],
  [
    'UTF-8 that was written as latin1',
    change(body, Buffer.from(text, 'latin1')),
    {
      body_latin1:
        'The signed body is the given one, read as latin1 and written as UTF-8. First difference at byte 215; 223 bytes given, 224 signed.',
    },
  ],
  [
    'latin1 that was written as UTF-8',
    change(Buffer.from(text, 'latin1'), body),
    {
      body_latin1:
        'The signed body is the given one, read as UTF-8 and written as latin1. First difference at byte 215; 224 bytes given, 223 signed.',
    },
  ],
]
