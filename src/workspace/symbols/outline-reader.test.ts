import { describe, expect, test } from "vitest";
import { OutlineReader } from "./outline-reader.ts";

const reader = new OutlineReader();

describe("OutlineReader", () => {
  test.each([
    [
      "a.ts",
      "export class Tide<T> extends Sea { #level = 1; ebb = (by: number) => { f(); }; async rise(by: number): Promise<void> { f(); } }\nexport interface Moon { phase: string; wax(): void }\nexport type Hour = number;\nexport function f(a: string): void {}\nexport const g = async (x: number) => x + 1;\nfunction outer() { const inner = 1; }",
      [
        "class Tide<T> extends Sea",
        "  ebb = (by: number)",
        "  async rise(by: number): Promise<void>",
        "interface Moon",
        "  wax(): void",
        "type Hour = number",
        "function f(a: string): void",
        "g = async (x: number)",
        "function outer()",
      ],
    ],
    ["a.tsx", "export function View({ name }: Props) { return <b>{name}</b>; }", ["function View({ name }: Props)"]],
    [
      "a.js",
      "class A extends B { run(a) { f(); } }\nexports.h = function (b) {};",
      ["class A extends B", "  run(a)", "exports.h = function (b) {}"],
    ],
    [
      "a.py",
      "class A(B):\n    def run(self, x: int) -> str:\n        return f(x)\n\nasync def g(a, b=1):\n    pass\nLIMIT = 3\n",
      ["class A(B)", "  def run(self, x: int) -> str", "async def g(a, b=1)", "LIMIT = 3"],
    ],
    [
      "a.go",
      'package main\ntype T struct { a int }\nfunc F(a int) string { return "" }\nfunc (t *T) Run() error { return nil }\nconst Limit = 3\n',
      ["T struct { a int }", "func F(a int) string", "func (t *T) Run() error", "Limit = 3"],
    ],
    [
      "a.rs",
      "pub struct S { a: i32 }\nimpl T for S { fn run(&self) { f() } }\npub fn f() -> i32 { 1 }",
      ["pub struct S", "impl T for S", "  fn run(&self)", "pub fn f() -> i32"],
    ],
    [
      "a.java",
      "public class A extends B { public A(int a) {} public void run(String s) { f(); } }",
      ["public class A extends B", "  public A(int a)", "  public void run(String s)"],
    ],
    ["a.c", "int add(int a, int b) { return a + b; }\n#define LIMIT 3\n", ["int add(int a, int b)", "#define LIMIT 3"]],
    [
      "a.cpp",
      "namespace n { class A : public B { public: void run(int a); }; }\nvoid n::A::run(int a) { f(a); }\nchar *name(void) { return 0; }",
      ["namespace n", "  class A : public B", "    void run(int a)", "void n::A::run(int a)", "char *name(void)"],
    ],
    [
      "a.cs",
      "namespace N { public class A : B { public int X { get; set; } public void Run(string s) { F(); } } }",
      ["namespace N", "  public class A : B", "    public int X { get; set; }", "    public void Run(string s)"],
    ],
    [
      "b.cs",
      "namespace My.Sea;\npublic record Tide(int Level);\npublic struct Wave { public Wave(int a) {} }\n",
      ["namespace My.Sea", "public record Tide(int Level)", "public struct Wave", "  public Wave(int a)"],
    ],
    [
      "a.rb",
      "module M\n  class A < B\n    def run(x)\n      f(x)\n    end\n  end\nend\n",
      ["module M", "  class A < B", "    def run(x)"],
    ],
    [
      "a.php",
      "<?php class A extends B { public function run(string $s): void { f(); } } function f($a) {}",
      ["class A extends B", "  public function run(string $s): void", "function f($a)"],
    ],
  ])("the outline of %s lists its definitions", async (path, source, lines) => {
    expect((await reader.read(path, source))?.text.split("\n")).toEqual(lines);
  });

  test("an outline is the same with Windows line endings", async () => {
    const text = "export class Tide {\n  rise(\n    by: number,\n  ): void {}\n}\n\nexport function ebb() {}\n";
    const outline = await reader.read("a.ts", text.replaceAll("\n", "\r\n"));
    expect(outline?.text).toBe((await reader.read("a.ts", text))?.text);
    expect(outline?.text).toBe("class Tide\n  rise( by: number, ): void\nfunction ebb()");
  });

  test.each([
    ["a.ts", "export class Größe { höher(λ: number) {} }", ["Größe", "höher"], "class Größe\n  höher(λ: number)"],
    ["a.py", "def 潮位(水: int):\n    return 上がる(水)\n", ["潮位"], "def 潮位(水: int)"],
    ["a.rs", "fn été() { naïf() }", ["été"], "fn été()"],
    ["a.ts", 'const sea = "🌊🌊🌊";\nfunction after() {}', ["sea", "after"], 'sea = "🌊🌊🌊"\nfunction after()'],
  ])("the outline of %s contains names in any alphabet: %s", async (path, source, defines, text) => {
    const outline = await reader.read(path, source);
    expect([outline?.defines, outline?.text]).toEqual([defines, text]);
  });

  test("the outline of an empty or unparsable file lists no definitions", async () => {
    expect(await reader.read("a.ts", "")).toMatchObject({ text: "", defines: [] });
    expect((await reader.read("a.py", "}{)(".repeat(2_000)))?.text).toBe("");
    expect((await reader.read("a.cpp", "(\n".repeat(50_000)))?.text).toBe(
      "[no outline: it has too many syntax errors]",
    );
  });

  test("a file that is too long or minified gets a note instead of an outline", async () => {
    const minified = `${"function a(b,c){return b+c};var d=a(1,2);".repeat(1_000)}\n`;
    expect((await reader.read("a.min.js", minified))?.text).toBe("[no outline: it looks minified]");
    const long = "function a() {}\n".repeat(40_000);
    expect(await reader.read("a.js", long)).toMatchObject({ text: "[no outline: the file is too long]", defines: [] });
  });

  test("an outline with too many definitions is cut, and says how many are missing", async () => {
    const source = Array.from({ length: 1_000 }, (_, index) => `function f${index}() {}`).join("\n");
    const outline = await reader.read("a.js", source);
    expect(outline?.text.split("\n").slice(-2)).toEqual(["function f299()", "[700 more]"]);
    expect(outline?.defines).toHaveLength(1_000);
  });

  test("reading outlines frees the memory of the syntax trees", async () => {
    const source = "export class Tide { rise() { return [1, 2, 3].map((wave) => wave * 2); } }\n".repeat(200);
    for (let time = 0; time < 5; time += 1) await reader.read("a.ts", `${source}// ${time}`);
    const before = process.memoryUsage();
    for (let time = 0; time < 40; time += 1) await reader.read("a.ts", `${source}// ${time}`);
    const { external, arrayBuffers } = process.memoryUsage();
    expect(external - before.external + (arrayBuffers - before.arrayBuffers)).toBeLessThan(8e6);
  });

  test("a file in an unknown language has no outline, and a broken file has a partial one", async () => {
    expect(await reader.read("notes.md", "# Hello")).toBeUndefined();
    expect((await reader.read("a.ts", "function a() {}\n)))) class {{{\nfunction b() {}"))?.text).toContain(
      "function a()",
    );
  });

  test("names in comments and strings do not count as used names", async () => {
    const outline = await reader.read("a.ts", '// tide\nconst sea = "moon"; /* wave */ ebb(river);');
    expect([...(outline?.uses ?? [])].toSorted()).toEqual(["const", "ebb", "river", "sea"]);
  });

  test("a long signature is cut to one line", async () => {
    const outline = await reader.read("a.ts", `function f(${"argument: string, ".repeat(50)}) {}`);
    expect(outline?.text.length).toBeLessThan(150);
  });
});
