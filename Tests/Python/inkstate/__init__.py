"""What the tests and campaigns in Python share: a studio, its clients, damaged bytes and ink."""
