import { change, type Fault } from './fault.js'

/** What editors and systems do to text, alone and to JSON that was serialized again. */
export const textFaults: readonly Fault[] = [
  [
    'a byte order mark and two spaces',
    change('{"a":1}', '\ufeff{\n  "a": 1\n}'),
    {
      body_bom_added:
        'The given body begins with EF BB BF. First difference at byte 0; 15 bytes given, 7 signed.',
      body_reformatted: 'The signed JSON is minified.',
    },
  ],
  [
    'indented JSON that lost its last line break',
    change('{\n  "a": 1\n}\n', '{"a":1}'),
    {
      body_reformatted:
        'The signed JSON is indented by two spaces. First difference at byte 1; 7 bytes given, 13 signed.',
      body_line_break_removed: 'The signed body ends with \\n.',
    },
  ],
  [
    'a large number',
    change('{"n":1e21,"m":1.50}', '{"n":1e21,"m":1.5}'),
    {
      body_numbers_rewritten:
        'The signed numbers are with two digits after the point where they have any. First difference at byte 17; 18 bytes given, 19 signed.',
    },
  ],
  [
    'lines of Windows without the last',
    change('{\r\n  "a": 1\r\n}', '{\n  "a": 1\n}\n'),
    {
      body_line_break_added:
        'The given body ends with \\n, the signed one does not. First difference at byte 1; 13 bytes given, 14 signed.',
      body_line_endings: 'The lines of the signed body end with \\r\\n.',
    },
  ],
  [
    'lines of both kinds',
    change('a\r\nb\r\nc\r\n', 'a\r\nb\nc\r\n'),
    {
      body_line_endings:
        'The lines of the signed body end with \\r\\n. First difference at byte 4; 8 bytes given, 9 signed.',
    },
  ],
  [
    'white space after the body',
    change('x', 'x\r\n\r\n'),
    {
      body_white_space_added:
        'The signed body is that without 0 bytes before it and 4 after it. First difference at byte 1; 5 bytes given, 1 signed.',
    },
  ],
  [
    'a line break of Windows that was removed',
    change('x\r\n', 'x'),
    {
      body_line_break_removed:
        'The signed body ends with \\r\\n. First difference at byte 1; 1 bytes given, 3 signed.',
    },
  ],
  [
    'a carriage return without a line feed',
    change('a\rb\nc', 'a\rb\r\nc'),
    {
      body_line_endings:
        'The lines of the signed body end with \\n. First difference at byte 3; 6 bytes given, 5 signed.',
    },
  ],
]
