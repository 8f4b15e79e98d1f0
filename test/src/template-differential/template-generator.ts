import { CALLS, DETERMINED } from './calls.ts';
import { OPERANDS, type OperandKind } from './operands.ts';
import { SeededChoice } from '../seeded-choice.ts';

/** How often every function is called by itself, before templates combine them. */
const CALLS_PER_FUNCTION = 14;

/** Returns at least that many templates, the same ones for the same seed. */
export function generatedTemplates(seed: number, count: number): string[] {
  const generator = new TemplateGenerator(new SeededChoice(seed));
  const templates = DETERMINED.map((expression) => `{{ ${expression} }}`);
  for (const name of CALLS.keys()) {
    for (let i = 0; i < CALLS_PER_FUNCTION; i++) templates.push(`{{ ${generator.call(name)} }}`);
  }
  while (templates.length < count) templates.push(generator.template());
  return templates;
}

class TemplateGenerator {
  readonly #choice: SeededChoice;

  constructor(choice: SeededChoice) {
    this.#choice = choice;
  }

  call(name: string): string {
    const shape = this.#choice.of(CALLS.get(name) ?? ['']);
    const written = shape.replace(/\{(\w+)(\*?)\}/g, (_, kind: string, many: string) => {
      const count = many === '' ? 1 : this.#choice.below(4);
      return Array.from({ length: count }, () => this.#operand(kind)).join(' ');
    });
    return `${name} ${written}`.trim();
  }

  /** Returns text with two or three actions, each of which may contain more. */
  template(depth = 0): string {
    const parts = Array.from({ length: 1 + this.#choice.below(3) }, () => this.#action(depth));
    return parts.join(this.#choice.of([' ', '\n', 'text', '']));
  }

  #operand(kind: string): string {
    if (this.#choice.once(12)) return `(${this.call(this.#anyFunction())})`;
    return this.#choice.of(OPERANDS[kind as OperandKind]);
  }

  #anyFunction(): string {
    return this.#choice.of([...CALLS.keys()]);
  }

  #pipeline(): string {
    const first = this.#choice.once(4) ? this.#choice.of(OPERANDS.any) : this.call(this.#anyFunction());
    const next = [
      'toString',
      'quote',
      'upper',
      'len',
      'toJson',
      'default "none"',
      'printf "%v"',
      'trim',
      'nindent 2',
      'html',
      'first',
    ];
    const rest = Array.from({ length: this.#choice.below(3) }, () => ` | ${this.#choice.of(next)}`);
    return first + rest.join('');
  }

  #action(depth: number): string {
    const inner = (): string => (depth > 2 ? 'x' : this.template(depth + 1));
    const choice = this.#choice;
    switch (choice.below(depth > 2 ? 3 : 11)) {
      case 0:
      case 1:
        return `{{ ${this.#pipeline()} }}`;
      case 2:
        return choice.of(['  {{- ', '\n{{ ']) + this.#pipeline() + choice.of([' -}}\n ', ' }}  ']);
      case 3:
        return `{{ if ${this.#pipeline()} }}${inner()}{{ else if ${choice.of(OPERANDS.any)} }}${inner()}{{ else }}no{{ end }}`;
      case 4:
        return `{{ with ${this.#pipeline()} }}[{{ . }}]{{ else }}none{{ end }}`;
      case 5:
        return `{{ with ${choice.of(OPERANDS.any)} }}[{{ . }}]{{ else with ${choice.of(OPERANDS.any)} }}<{{ . }}>{{ else }}none{{ end }}`;
      case 6:
        return `{{ range $i, $e := ${choice.of([...OPERANDS.list, ...OPERANDS.map])} }}{{ $i }}={{ $e }};{{ else }}none{{ end }}`;
      case 7: {
        const leave = choice.of(['break', 'continue']);
        return `{{ range ${choice.of(OPERANDS.list)} }}{{ if eq (toString .) ${choice.of(['"a"', '"1"', '"2"'])} }}{{ ${leave} }}{{ end }}{{ . }},{{ end }}`;
      }
      case 8:
        return `{{ range ${choice.of(['3', '0', '-1', '(int 2)', '.n', '(len .list)'])} }}{{ . }}{{ end }}`;
      case 9:
        return `{{ $v := ${this.#pipeline()} }}{{ $v = ${choice.of(OPERANDS.any)} }}{{ $v }}{{/* a comment */}}`;
      default:
        return `{{ define "t${depth}" }}<{{ . }}>{{ end }}{{ template "t${depth}" ${choice.of(OPERANDS.any)} }}{{ block "b${depth}" .map }}{{ .a }}{{ end }}`;
    }
  }
}
