import subprocess

from checks.commits import problem, problems


def commit(folder, *message, file="a"):
    (folder / file).write_text(" ".join(message))
    for command in [["add", "."], ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet",
                                   *(part for text in message for part in ("-m", text))]]:
        subprocess.run(["git", *command], cwd=folder, check=True)


def test_a_message_is_a_short_subject_and_a_body():
    assert problem("x" * 72, "Because.\n") is None
    assert "73 characters" in problem("x" * 73, "Because.")
    assert "no body" in problem("Add it", " \n")


def test_commits_after_the_check_and_the_last_tag_are_checked(tmp_path):
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    commit(tmp_path, "Old ways")
    commit(tmp_path, "Add the check", file="check.py")
    commit(tmp_path, "Say why", "Because.")
    assert problems(tmp_path, "check.py") == []
    commit(tmp_path, "No reason")
    assert len(problems(tmp_path, "check.py")) == 1
    # Without such a file, all of them.
    assert len(problems(tmp_path, "none.py")) == 3
    subprocess.run(["git", "tag", "1.0.0"], cwd=tmp_path, check=True)
    commit(tmp_path, "y" * 80, "Because.")
    assert ["80 characters" in text for text in problems(tmp_path, "none.py")] == [True]
